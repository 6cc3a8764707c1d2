// SPDX-License-Identifier: GPL-3.0-or-later
// What NCCL says of its ways between GPUs, from its own log: c10d tells nothing of them. NCCL writes a line for each
// channel when the first collective connects it,
//   node7:4242:4250 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
//   node7:4242:4250 [0] NCCL INFO Channel 01/0 : 1[1] -> 2[0] [send] via NET/IB/0/GDRDMA
#pragma once

#include <string>
#include <string_view>

namespace lockstep::trainer {

// The ways that a log's channels take, each once, in its order: "P2P/CUMEM, NET/IB/GDRDMA" (without the number of an
// adapter). Empty: it has no such line.
[[nodiscard]] std::string ncclTransports(std::string_view log);

class NcclLog {
public:
    // Before NCCL is loaded: has it write a log into a temporary file, unless the user's own NCCL_DEBUG or
    // NCCL_DEBUG_FILE say otherwise.
    static void switchOn();
    // After the first collectives: "P2P/CUMEM", or "unknown: ..." with the reason. Removes a file that switchOn() made.
    [[nodiscard]] static std::string transports();
};

} // namespace lockstep::trainer
