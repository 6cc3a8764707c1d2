// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/modelstate.h"

#include "trainer/failure.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace lockstep::trainer {

namespace {

constexpr std::string_view kWrapped = "module.";
constexpr std::size_t kMostNamed = 3;

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    return names.size() > kMostNamed ? text + " and " + std::to_string(names.size() - kMostNamed) + " more" : text;
}

// Of a tensor with several names a file may have one alone, as safetensors has. Returns the names that are missing.
std::vector<std::string> fillByOtherNames(const std::vector<ModelTensor>& state, std::vector<at::Tensor>& sources)
{
    const auto firstOf = [&state](std::size_t i) { return state[i].sameAs.value_or(i); };
    for (std::size_t i = 0; i < state.size(); ++i) {
        if (!sources[firstOf(i)].defined())
            sources[firstOf(i)] = sources[i];
    }
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < state.size(); ++i) {
        if (!sources[i].defined())
            sources[i] = sources[firstOf(i)];
        if (!sources[i].defined())
            missing.push_back(state[i].name);
    }
    return missing;
}

} // namespace

std::vector<ModelTensor> modelState(Model& model)
{
    std::vector<ModelTensor> state;
    std::size_t trained = 0;
    std::unordered_map<const void*, std::size_t> places;
    const auto add = [&](const std::string& name, const at::Tensor& tensor, bool isParameter) {
        const auto [first, isNew] = places.try_emplace(tensor.unsafeGetTensorImpl(), state.size());
        if (!isNew) {
            state.push_back({name, tensor, isParameter, state[first->second].trained, first->second});
            return;
        }
        const bool trains = isParameter && tensor.requires_grad();
        state.push_back({name, tensor, isParameter, trains ? std::optional(trained) : std::nullopt, std::nullopt});
        trained += trains ? 1 : 0;
    };
    for (const auto& module : model.named_modules()) {
        const std::string prefix = module.key().empty() ? "" : module.key() + ".";
        for (const auto& item : module.value()->named_parameters(/*recurse=*/false))
            add(prefix + item.key(), item.value(), true);
        for (const auto& item : module.value()->named_buffers(/*recurse=*/false))
            add(prefix + item.key(), item.value(), false);
    }
    return state;
}

std::size_t trainedCount(const std::vector<ModelTensor>& state)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(state, [](const ModelTensor& tensor) { return tensor.trained && !tensor.sameAs; }));
}

std::vector<at::Tensor> matched(const std::vector<ModelTensor>& state, const NamedTensors& found,
                                const std::string& path)
{
    std::map<std::string, const at::Tensor*> byName;
    for (const auto& [name, tensor] : found)
        byName[name] = &tensor;
    std::vector<at::Tensor> sources(state.size());
    std::vector<std::string> misshapen;
    for (std::size_t i = 0; i < state.size(); ++i) {
        const ModelTensor& place = state[i];
        auto source = byName.find(place.name);
        if (source == byName.end())
            source = byName.find(std::string(kWrapped) + place.name);
        if (source == byName.end())
            continue;
        if (source->second->sizes() != place.tensor.sizes())
            misshapen.push_back(place.name + " " + c10::str(source->second->sizes()) + " instead of " +
                                c10::str(place.tensor.sizes()));
        sources[i] = *source->second;
        byName.erase(source);
    }
    const std::vector<std::string> missing = fillByOtherNames(state, sources);
    std::vector<std::string> others;
    others.reserve(byName.size());
    for (const auto& [name, tensor] : byName)
        others.emplace_back(name);
    if (missing.empty() && misshapen.empty() && others.empty())
        return sources;
    std::string sentence = path + " does not fit the model:";
    if (!missing.empty())
        sentence += " it lacks " + listed(missing) + ";";
    if (!others.empty())
        sentence += " it has " + listed(others) + ", which the model has not;";
    if (!misshapen.empty())
        sentence += " other shapes: " + listed(misshapen) + ";";
    throw Failure(ExitCode::Checkpoint, sentence + " was another --model trained, or one of another size?");
}

} // namespace lockstep::trainer
