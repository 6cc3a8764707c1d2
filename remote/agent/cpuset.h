// SPDX-License-Identifier: GPL-3.0-or-later
// CPUs as the kernel lists them: 0-3,8-11.
#pragma once

#include <bitset>
#include <memory>
#include <optional>
#include <sched.h>
#include <string>
#include <string_view>

namespace lockstep::agent {

class CpuSet {
public:
    static constexpr std::size_t kMost = 4096; // more than any kernel is built for

    [[nodiscard]] static CpuSet own(); // the affinity of this process
    [[nodiscard]] static std::optional<CpuSet> parse(std::string_view text);

    [[nodiscard]] int count() const { return static_cast<int>(m_cpus.count()); }
    [[nodiscard]] bool has(std::size_t cpu) const { return cpu < kMost && m_cpus[cpu]; }
    [[nodiscard]] CpuSet both(const CpuSet& other) const;
    [[nodiscard]] std::string text() const;

private:
    std::bitset<kMost> m_cpus;
};

// As sched_setaffinity wants it; made before a fork.
class CpuMask {
public:
    explicit CpuMask(const std::optional<CpuSet>& cpus);
    [[nodiscard]] const cpu_set_t* get() const { return m_raw.get(); } // null: no set
    [[nodiscard]] std::size_t size() const { return CPU_ALLOC_SIZE(CpuSet::kMost); }

private:
    struct Free {
        void operator()(cpu_set_t* raw) const { CPU_FREE(raw); }
    };
    std::unique_ptr<cpu_set_t, Free> m_raw;
};

} // namespace lockstep::agent
