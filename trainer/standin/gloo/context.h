// SPDX-License-Identifier: GPL-3.0-or-later
// Stand-in: Gloo's own objects are made and used inside libtorch_cpu.so only; here they pass behind pointers.
#pragma once

#include <chrono>
#include <memory>

namespace gloo {

namespace transport {
class UnboundBuffer {
public:
    virtual ~UnboundBuffer() = 0; // never defined: nothing here may destroy one
};
} // namespace transport

class Context {
public:
    void setTimeout(std::chrono::milliseconds timeout); // libtorch_cpu.so has it
};

} // namespace gloo
