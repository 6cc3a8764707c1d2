// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/scriptmodel.h"

#include "trainer/failure.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <unordered_set>

namespace lockstep::trainer {

namespace {

using Seen = std::unordered_set<const void*>; // a parameter of two modules is registered with the first, as Python's

// The names of a scripted module's tree, with the very same tensors: what the trainer moves, steps and saves is the
// module's own.
class Part : public torch::nn::Module {
public:
    explicit Part(const torch::jit::Module& scripted)
        : torch::nn::Module(scripted.type()->name() ? scripted.type()->name()->name() : "scripted module")
    {
    }
};

void registerTree(torch::nn::Module& part, const torch::jit::Module& scripted, Seen& seen)
{
    for (const auto& parameter : scripted.named_parameters(/*recurse=*/false)) {
        if (seen.insert(parameter.value.unsafeGetTensorImpl()).second)
            part.register_parameter(parameter.name, parameter.value, parameter.value.requires_grad());
    }
    for (const auto& buffer : scripted.named_buffers(/*recurse=*/false))
        part.register_buffer(buffer.name, buffer.value);
    for (const auto& child : scripted.named_children()) {
        const auto below = std::make_shared<Part>(child.value);
        registerTree(*below, child.value, seen);
        part.register_module(child.name, below);
    }
}

std::string firstLine(const std::exception& error)
{
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
}

class ScriptModel : public Model {
public:
    ScriptModel(torch::jit::Module module, bool takesTargets, bool targetsMayLack)
        : m_module(std::move(module)), m_takesTargets(takesTargets), m_targetsMayLack(targetsMayLack)
    {
        Seen seen;
        registerTree(*this, m_module, seen);
    }

    at::Tensor forward(const at::Tensor& inputs) override
    {
        if (m_takesTargets && !m_targetsMayLack)
            throw Failure(
                ExitCode::Options,
                "the scripted module's forward(x, y) gives a loss and no scores, so it cannot be tested: give y "
                "the default None and return the scores then, or pass --evaluate-every 0");
        return tensor(m_module.forward({inputs}));
    }

    at::Tensor lossOf(const at::Tensor& inputs, const at::Tensor& targets) override
    {
        if (!m_takesTargets)
            return loss(forward(inputs), targets);
        return tensor(m_module.forward({inputs, targets}));
    }

    void train(bool on) override
    {
        Model::train(on);
        m_module.train(on);
    }

private:
    static at::Tensor tensor(const c10::IValue& value)
    {
        if (!value.isTensor())
            throw Failure(ExitCode::Options,
                          "the scripted module's forward gives a " + value.tagKind() + ", but must give one tensor");
        return value.toTensor();
    }

    torch::jit::Module m_module;
    bool m_takesTargets;
    bool m_targetsMayLack;
};

torch::jit::Module load(const std::string& file)
{
    try {
        return torch::jit::load(file, at::kCPU);
    } catch (const std::exception& error) {
        throw Failure(ExitCode::Data,
                      "--model torchscript: " + file + " cannot be read as a scripted module: " + firstLine(error));
    }
}

} // namespace

std::shared_ptr<Model> makeScriptModel(const std::string& file, OwnLoss ownLoss)
{
    torch::jit::Module module = load(file);
    const auto method = module.find_method("forward");
    if (!method)
        throw Failure(ExitCode::Options, "--model torchscript: " + file + " has no forward");
    const auto& arguments = method->function().getSchema().arguments(); // the first is self
    if (arguments.size() != 2 && arguments.size() != 3)
        throw Failure(ExitCode::Options, "--model torchscript: the forward of " + file + " takes " +
                                             std::to_string(arguments.size() - 1) +
                                             " arguments, but must be forward(x) or forward(x, y)");
    const bool takesTargets = arguments.size() == 3;
    if (takesTargets && ownLoss == OwnLoss::Refused)
        throw Failure(ExitCode::Options, "--model torchscript: the forward(x, y) of " + file +
                                             " makes its loss itself, and --strategy dp makes it from the scores of "
                                             "all devices; take --strategy ddp or single");
    return std::make_shared<ScriptModel>(std::move(module), takesTargets,
                                         takesTargets && arguments[2].default_value().has_value());
}

} // namespace lockstep::trainer
