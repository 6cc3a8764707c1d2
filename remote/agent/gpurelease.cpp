// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/gpurelease.h"

#include "core/wire/kinds.h"

#include <algorithm>
#include <charconv>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kReleaseUs = 3'000'000; // three samples; a driver needs a second for 80 GB
constexpr std::string_view kGpu = "gpu:";

// "pid:bytes,pid:bytes"
bool namesAny(std::string_view processes, const std::set<pid_t>& pids)
{
    while (!processes.empty()) {
        const std::string_view one = processes.substr(0, processes.find(','));
        pid_t pid = 0;
        std::from_chars(one.data(), one.data() + one.size(), pid);
        if (pids.contains(pid))
            return true;
        processes.remove_prefix(std::min(one.size() + 1, processes.size()));
    }
    return false;
}

} // namespace

GpuRelease::GpuRelease(std::set<std::string> devices, std::set<pid_t> gone, std::int64_t nowUs)
    : m_devices(std::move(devices)), m_gone(std::move(gone)), m_untilUs(nowUs + kReleaseUs)
{
}

void GpuRelease::take(std::string_view records)
{
    m_decoder.feed(records, [this](const wire::RecordView& record) {
        const std::string id = record.text("id");
        if (record.kind != wire::kind::kDevice || !id.starts_with(kGpu) || record.find("processes") == nullptr)
            return; // no driver says who uses it: unknown
        const std::string uuid = id.substr(kGpu.size());
        if (m_devices.contains(uuid))
            m_free[uuid] = !namesAny(record.text("processes"), m_gone);
    });
}

bool GpuRelease::isSettled(std::int64_t nowUs) const
{
    return nowUs >= m_untilUs || freed() == m_devices.size();
}

std::size_t GpuRelease::freed() const
{
    return static_cast<std::size_t>(std::ranges::count_if(m_free, [](const auto& device) { return device.second; }));
}

std::size_t GpuRelease::held() const
{
    return m_free.size() - freed();
}

} // namespace lockstep::agent
