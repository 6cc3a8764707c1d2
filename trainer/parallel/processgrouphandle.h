// SPDX-License-Identifier: GPL-3.0-or-later
// c10d's side of ProcessGroup, apart because its headers are slow to read: only processgroup.cpp, ddp.cpp and
// shardexchange.cpp include it.
#pragma once

#include "trainer/parallel/processgroup.h"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace lockstep::trainer {

struct ProcessGroup::Handle {
    c10::intrusive_ptr<c10d::Store> store;
    c10::intrusive_ptr<c10d::ProcessGroup> group;
    bool sharesMemory = false; // CPU tensors go by memory that all ranks map (nodebackend.h)
};

} // namespace lockstep::trainer
