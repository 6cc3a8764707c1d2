// SPDX-License-Identifier: GPL-3.0-or-later
// The exchange between ranks that all run on one node, on its CPU: through memory they share instead of through TCP.
// Gloo sends every byte through the kernel twice; here a rank reads its peers' gradients where they lie. The sums are
// Gloo's to the last bit, because they are taken in its order (its ring all-reduce, gloo/allreduce.cc).
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <chrono>
#include <string>

namespace lockstep::trainer {

struct NodeBackend {
    c10::intrusive_ptr<c10d::Backend> backend; // null when some rank cannot share memory with the others
    std::string why;                           // then: the reason
};

// Every rank calls it at the same time. Sums (all-reduce, reduce-scatter) and all-gathers of one CPU tensor take the
// shared memory, everything else goes on to `gloo`, through which the ranks also agree whether all can share. Work is
// done in the order of the calls by a thread of its own, as in Gloo; errors come out of the work's wait().
[[nodiscard]] NodeBackend shareMemory(const c10::intrusive_ptr<c10d::Backend>& gloo, std::chrono::milliseconds timeout);

} // namespace lockstep::trainer
