// SPDX-License-Identifier: GPL-3.0-or-later
// How loaded this node is, 1 Hz, as `device` records (core/wire/kinds.h). CPU, memory, disk and network are read here,
// from files that stay open; GPUs are read by a child process of its own, because a call into a sick driver may never
// return.
#pragma once

#include "remote/agent/gpuprocess.h"
#include "remote/agent/hostsample.h"

#include <cstdint>
#include <string>

namespace lockstep::agent {

struct SamplerOptions {
    HostSampleOptions host;
    GpuProcessOptions gpus;
};

class Sampler {
public:
    Sampler() : Sampler(SamplerOptions{}) {}
    explicit Sampler(SamplerOptions options);
    ~Sampler() = default; // ends the child
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    // To poll for reading; -1 when there is no child. Ask again after every call of readable() and tick().
    [[nodiscard]] int pollFd() const { return m_gpus.pollFd(); }
    // Appends the child's records: complete lines only, nothing but `device` records of the node.
    void readable(std::string& out, std::int64_t nowUs) { m_gpus.readable(out, nowUs); }
    // Once a second: appends the host's records; starts, ends and starts again the child by its deadlines. Never
    // blocks.
    void tick(std::string& out, std::int64_t nowUs);

private:
    HostSample m_host;
    GpuProcess m_gpus;
};

// The `sample` verb: records at 1 Hz, the first at once, until `inFd` ends. A reader that does not read loses samples,
// it does not pile them up.
int runSample(int outFd, int inFd);

// The internal verb `gpu-samples`: the child's main loop.
int runGpuChild(int outFd);

} // namespace lockstep::agent
