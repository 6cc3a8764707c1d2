// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/unitorder.h"

#include "trainer/failure.h"

#include <algorithm>

namespace lockstep::trainer {

std::size_t UnitOrder::enter(std::size_t unit)
{
    if (!m_known)
        m_units.push_back(unit);
    else if (m_at >= m_units.size() || m_units[m_at] != unit)
        refuse(m_names[unit] + " was run");
    return m_at++;
}

std::optional<std::size_t> UnitOrder::look(std::size_t unit)
{
    const std::size_t position = m_at++;
    if (!m_known || position >= m_units.size() || m_units[position] != unit)
        return std::nullopt;
    return position;
}

void UnitOrder::end()
{
    if (m_at < m_units.size())
        refuse("the forward ended");
    m_known = true;
}

std::optional<std::size_t> UnitOrder::first() const
{
    return m_known && !m_units.empty() ? std::optional(m_units.front()) : std::nullopt;
}

std::optional<std::size_t> UnitOrder::after(std::size_t position) const
{
    if (!m_known)
        return std::nullopt;
    for (std::size_t i = position + 1; i < m_units.size(); ++i) {
        if (m_units[i] != m_units[position])
            return m_units[i];
    }
    return std::nullopt;
}

std::optional<std::size_t> UnitOrder::before(std::size_t position) const
{
    if (!m_known)
        return std::nullopt;
    for (std::size_t i = position; i-- > 0;) {
        if (m_units[i] != m_units[position])
            return m_units[i];
    }
    return std::nullopt;
}

bool UnitOrder::goesOn(std::size_t position) const
{
    return m_known && position + 1 < m_units.size() && m_units[position + 1] == m_units[position];
}

std::vector<std::size_t> UnitOrder::backwards() const
{
    std::vector<std::size_t> order;
    for (const std::size_t unit : m_units) {
        if (std::ranges::find(order, unit) == order.end())
            order.push_back(unit);
    }
    std::ranges::reverse(order);
    return order;
}

void UnitOrder::refuse(const std::string& instead) const
{
    const std::string expected = m_at < m_units.size() ? m_names[m_units[m_at]] : "the end of the forward";
    throw Failure(ExitCode::Unexpected,
                  "--strategy fsdp needs the same blocks in the same order in every step: after " +
                      std::to_string(m_at) + " blocks the first forward came to " + expected + ", but now " + instead);
}

} // namespace lockstep::trainer
