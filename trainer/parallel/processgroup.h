// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks as a group. Its construction is the rendezvous: every rank comes to rank 0's store, and only when all are
// there does it return. The collectives block; a peer that is gone makes them throw.
#pragma once

#include "trainer/device.h"
#include "trainer/options.h"
#include "trainer/placement.h"
#include "trainer/records/facts.h"

#include <ATen/core/Tensor.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::trainer {

class ProcessGroup {
public:
    // Throws Failure(Rendezvous) that names the ranks that are missing at the deadline.
    ProcessGroup(const Placement& place, const Options& options, const Device& device);
    ~ProcessGroup();
    ProcessGroup(const ProcessGroup&) = delete;
    ProcessGroup& operator=(const ProcessGroup&) = delete;

    [[nodiscard]] int rank() const { return m_place.rank; }
    [[nodiscard]] int world() const { return m_place.world; }
    [[nodiscard]] Facts facts() const { return {{"exchange", m_exchange}}; } // what carries gradients between ranks

    void sum(at::Tensor& tensor);     // all-reduce in place; CPU tensors go through Gloo always
    void highest(at::Tensor& tensor); // the same with the maximum
    [[nodiscard]] std::vector<at::Tensor> allGather(const at::Tensor& tensor); // every rank's, by rank; equal shapes
    void broadcast(const std::vector<at::Tensor>& tensors);                    // rank 0's values to all
    // A peer that has died is noticed at once all the same. kDiskPatience: while rank 0 reads or writes a file.
    void barrier(std::chrono::milliseconds patience);
    static constexpr std::chrono::hours kDiskPatience{1};

    struct Handle; // processgrouphandle.h: what the reducer needs of c10d
    [[nodiscard]] const Handle& handle() const { return *m_handle; }

private:
    Placement m_place;
    std::unique_ptr<Handle> m_handle;
    std::string m_exchange;
};

} // namespace lockstep::trainer
