// SPDX-License-Identifier: GPL-3.0-or-later
// What this node is, said once: the `probe` verb. The keys of the `facts` record are in core/nodefacts.h.
#pragma once

#include <string>

namespace lockstep::agent {

struct FactsRoots { // where the kernel's trees lie; tests lay made ones here
    std::string proc = "/proc";
    std::string sys = "/sys";
    std::string etc = "/etc";
    std::string run = "/run";
    std::string var = "/var";
    std::string usr = "/usr";
};

// One `facts` record at the end of `out`. GPUs are asked in a forked child with a deadline, so a sick driver costs two
// seconds and a sentence in gpu_note, never the probe.
void appendFacts(std::string& out, const FactsRoots& roots);

// The verb: writes the record to `outFd`, then answers for the clock (clock.h) until `inFd` ends; the exit code.
int runProbe(int outFd, int inFd);

} // namespace lockstep::agent
