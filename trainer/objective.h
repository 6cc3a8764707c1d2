// SPDX-License-Identifier: GPL-3.0-or-later
// Forward and loss in the precision asked for: autocast around both, as Python's
// `with autocast(): loss = f(model(x), y)`; backward runs outside and follows each operation's own precision.
#pragma once

#include "trainer/data/loader.h"
#include "trainer/models/model.h"
#include "trainer/options.h"

namespace lockstep::trainer {

// Autocast from here to the end of the scope; nothing with fp32 and tf32.
class AutocastScope {
public:
    AutocastScope(Precision precision, at::DeviceType device);
    ~AutocastScope();
    AutocastScope(const AutocastScope&) = delete;
    AutocastScope& operator=(const AutocastScope&) = delete;

private:
    at::DeviceType m_device;
    bool m_on;
    bool m_before = false;
    at::ScalarType m_typeBefore = at::kFloat;
};

class Objective {
public:
    // fp32 and tf32 are settings of the whole process: with fp32, products and convolutions on a GPU are exact too
    // (PyTorch's own default lets cuDNN round to tf32); tf32 rounds both. A CPU has no tf32: there it is fp32.
    Objective(Model& model, Precision precision, at::Device device);

    [[nodiscard]] Model& model() const { return m_model; }
    [[nodiscard]] at::Device device() const { return m_device; }
    [[nodiscard]] at::Tensor scores(const at::Tensor& inputs) const; // under autocast
    // Throws Failure(Options) when the loss is no scalar.
    [[nodiscard]] at::Tensor loss(const Batch& batch) const; // forward and loss under one autocast
    [[nodiscard]] at::Tensor loss(const at::Tensor& scores, const at::Tensor& targets) const;

private:
    Model& m_model;
    Precision m_precision;
    at::Device m_device;
};

} // namespace lockstep::trainer
