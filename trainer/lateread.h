// SPDX-License-Identifier: GPL-3.0-or-later
// A few numbers of the device, read without making it wait: on a GPU they are copied behind the work in its queue and
// looked at a step later, when they have long arrived; on a CPU they are there at once.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <optional>

namespace lockstep::trainer {

class LateRead {
public:
    void begin(const at::Tensor& onDevice);
    // What the last begin() was given, on the CPU; once. Nothing: none was begun.
    [[nodiscard]] std::optional<at::Tensor> take();

private:
    std::optional<at::Tensor> m_copy;
    std::optional<c10::Event> m_arrived;
};

} // namespace lockstep::trainer
