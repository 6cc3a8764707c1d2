// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the GPUs of a run that has ended are free of it: a process that is gone may still hold memory while the
// driver cleans up after it. Fed with the sampler's records; pure but for that.
#pragma once

#include "core/wire/decoder.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace lockstep::agent {

class GpuRelease {
public:
    // devices: uuids, as in CUDA_VISIBLE_DEVICES. gone: the run's processes.
    GpuRelease(std::set<std::string> devices, std::set<pid_t> gone, std::int64_t nowUs);

    void take(std::string_view records);                    // `device` records since then
    [[nodiscard]] bool isSettled(std::int64_t nowUs) const; // each of them is free, or the time is over
    [[nodiscard]] std::size_t freed() const;
    [[nodiscard]] std::size_t held() const; // still in use by a process that is gone; the rest is unknown

private:
    std::set<std::string> m_devices;
    std::set<pid_t> m_gone;
    std::int64_t m_untilUs;
    wire::Decoder m_decoder;
    std::map<std::string, bool> m_free; // by uuid, as last seen
};

} // namespace lockstep::agent
