// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/cpuset.h"

#include <algorithm>
#include <charconv>

namespace lockstep::agent {

namespace {

std::optional<std::size_t> number(std::string_view text)
{
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value >= CpuSet::kMost)
        return std::nullopt;
    return value;
}

} // namespace

CpuSet CpuSet::own()
{
    CpuSet set;
    cpu_set_t* raw = CPU_ALLOC(kMost);
    if (raw == nullptr)
        return set;
    const std::size_t size = CPU_ALLOC_SIZE(kMost);
    if (::sched_getaffinity(0, size, raw) == 0) {
        for (std::size_t cpu = 0; cpu < kMost; ++cpu)
            set.m_cpus[cpu] = CPU_ISSET_S(cpu, size, raw) != 0;
    }
    CPU_FREE(raw);
    return set;
}

std::optional<CpuSet> CpuSet::parse(std::string_view text)
{
    CpuSet set;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        const std::size_t dash = part.find('-');
        const auto first = number(part.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
        if (!first || !last || *last < *first)
            return std::nullopt;
        for (std::size_t cpu = *first; cpu <= *last; ++cpu)
            set.m_cpus[cpu] = true;
    }
    if (set.m_cpus.none())
        return std::nullopt;
    return set;
}

CpuMask::CpuMask(const std::optional<CpuSet>& cpus)
{
    if (!cpus)
        return;
    m_raw.reset(CPU_ALLOC(CpuSet::kMost));
    if (!m_raw)
        return;
    CPU_ZERO_S(size(), m_raw.get());
    for (std::size_t cpu = 0; cpu < CpuSet::kMost; ++cpu)
        if (cpus->has(cpu))
            CPU_SET_S(cpu, size(), m_raw.get());
}

CpuSet CpuSet::both(const CpuSet& other) const
{
    CpuSet set;
    set.m_cpus = m_cpus & other.m_cpus;
    return set;
}

std::string CpuSet::text() const
{
    std::string text;
    for (std::size_t cpu = 0; cpu < kMost; ++cpu) {
        if (!m_cpus[cpu])
            continue;
        const std::size_t first = cpu;
        while (cpu + 1 < kMost && m_cpus[cpu + 1])
            ++cpu;
        text += (text.empty() ? "" : ",") + std::to_string(first);
        if (cpu > first)
            text += '-' + std::to_string(cpu);
    }
    return text;
}

} // namespace lockstep::agent
