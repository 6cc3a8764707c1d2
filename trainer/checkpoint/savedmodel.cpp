// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/savedmodel.h"

#include "trainer/failure.h"

#include <algorithm>
#include <array>

namespace lockstep::trainer {

namespace {

using Value = PickleDocument::Value;

constexpr std::array kNames{"model", "model_state_dict", "state_dict"};

const Value& modelOf(const TensorArchiveReader& file)
{
    for (const char* name : kNames) {
        const Value* value = PickleDocument::find(file.root(), name);
        if (value != nullptr && std::holds_alternative<PickleDocument::Dict>(value->held))
            return *value;
    }
    return file.root();
}

} // namespace

NamedTensors savedModel(const TensorArchiveReader& file)
{
    const auto refuse = [&](const std::string& why) {
        return Failure(ExitCode::Checkpoint, "cannot read " + file.path() + ": " + why);
    };
    const auto* entries = std::get_if<PickleDocument::Dict>(&modelOf(file).held);
    if (entries == nullptr)
        throw refuse("it is no dictionary of tensors");
    if (PickleDocument::find(file.root(), "param_groups") != nullptr)
        throw refuse("it is the state of an optimiser alone, without a model");
    NamedTensors found;
    for (const auto& [key, value] : *entries) {
        const auto* name = std::get_if<std::string>(&key->held);
        if (name == nullptr)
            throw refuse("one of its tensors has no name");
        found.emplace_back(*name, file.tensor(*value, *name));
    }
    return found;
}

} // namespace lockstep::trainer
