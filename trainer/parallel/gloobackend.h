// SPDX-License-Identifier: GPL-3.0-or-later
// The only door to Gloo, whose headers the wheel does not ship: everything else sees a c10d::Backend.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <string>

namespace lockstep::trainer {

struct GlooBinding { // exactly one is set: an interface's name, or one of this node's addresses
    std::string interface;
    std::string address;
};

[[nodiscard]] c10::intrusive_ptr<c10d::Backend> makeGloo(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                         int world, const GlooBinding& binding,
                                                         std::chrono::milliseconds timeout);

// The size our stand-in headers give the class; a test compares it with the library's own.
[[nodiscard]] std::size_t sizeOfProcessGroupGloo();

} // namespace lockstep::trainer
