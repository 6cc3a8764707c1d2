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
    Objective(Model& model, const Options& options, at::Device device); // throws Failure(Options) for tf32 on a CPU
    Objective(const Objective& like, Model& model, at::Device device);  // a replica's

    [[nodiscard]] Model& model() const { return m_model; }
    [[nodiscard]] at::Device device() const { return m_device; }
    [[nodiscard]] at::Tensor scores(const at::Tensor& inputs) const; // under autocast
    // Forward and loss under one autocast. Throws Failure(Options) when the loss is no scalar.
    [[nodiscard]] at::Tensor loss(const Batch& batch) const;
    [[nodiscard]] at::Tensor loss(const at::Tensor& scores, const at::Tensor& targets) const;

private:
    [[nodiscard]] at::Tensor laidOut(const at::Tensor& inputs) const;

    Model& m_model;
    Precision m_precision;
    at::Device m_device;
    Switch m_channelsLast;
};

// For a model that this program did not make: throws Failure(Options) when its loss is a sum over the batch, which is
// seen by giving it a made-up batch once and twice.
void checkLoss(const Objective& objective, const Options& options, const SampleShape& shape);

} // namespace lockstep::trainer
