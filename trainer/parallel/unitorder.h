// SPDX-License-Identifier: GPL-3.0-or-later
// The order in which FSDP's units are run. The first forward records it; from then on the next unit can be gathered
// ahead, and gradients are reduced in one order on all ranks, which collectives need: out of order they would mix up
// two units, or wait for ever. A forward that goes another way is refused, by name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::trainer {

class UnitOrder {
public:
    explicit UnitOrder(std::vector<std::string> names) : m_names(std::move(names)) {}

    void begin() { m_at = 0; } // a forward
    [[nodiscard]] bool known() const { return m_known; }
    // A unit is run: its position in the forward. Throws Failure(Unexpected) when the first forward ran another there.
    std::size_t enter(std::size_t unit);
    // The same where gradients are off: nullopt when this forward goes another way, which then does no harm.
    std::optional<std::size_t> look(std::size_t unit);
    [[nodiscard]] std::size_t unitAt(std::size_t position) const { return m_units.at(position); }
    void end(); // of a forward with gradients. Throws Failure(Unexpected) when units were left out.

    [[nodiscard]] std::optional<std::size_t> first() const; // this and the next two: nullopt as long as it isn't known
    [[nodiscard]] std::optional<std::size_t> after(std::size_t position) const; // the next other unit
    [[nodiscard]] std::optional<std::size_t> before(std::size_t position) const;
    [[nodiscard]] bool isLast(std::size_t position) const { return m_known && position + 1 == m_units.size(); }
    [[nodiscard]] bool goesOn(std::size_t position) const; // the same unit is run next

    // All units but those never run: the one first that is first complete in backward.
    [[nodiscard]] std::vector<std::size_t> backwards() const;

private:
    [[noreturn]] void refuse(const std::string& instead) const;

    std::vector<std::string> m_names;
    std::vector<std::size_t> m_units; // by position
    std::size_t m_at = 0;
    bool m_known = false;
};

} // namespace lockstep::trainer
