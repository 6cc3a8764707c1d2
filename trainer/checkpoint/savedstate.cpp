// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/checkpoint.h"

#include "trainer/checkpoint/savedmodel.h"
#include "trainer/data/sampleorder.h"
#include "trainer/failure.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace lockstep::trainer {

namespace {

using Value = PickleDocument::Value;

struct Count {
    const char* key;
    std::int64_t Progress::*member;
};
constexpr std::array kCounts{Count{"step", &Progress::step}, Count{"epoch", &Progress::epoch},
                             Count{"taken_of_epoch", &Progress::takenOfEpoch}};
constexpr std::int64_t kMostCounted = std::int64_t{1} << 40; // as the options': sums of counts cannot overflow
constexpr std::array kOptimizerKeys{"optimizer", "optimizer_state_dict", "optim"};

[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw Failure(ExitCode::Checkpoint, "cannot resume from " + path + ": " + why);
}

const Value& member(const Value& dict, const std::string& key, const std::string& path)
{
    const Value* value = PickleDocument::find(dict, key);
    if (value == nullptr)
        refuse(path, "it has no '" + key + "'");
    return *value;
}

const Value* findOptimizer(const Value& root)
{
    for (const char* key : kOptimizerKeys) {
        if (const Value* value = PickleDocument::find(root, key))
            return value;
    }
    return nullptr;
}

std::int64_t countOf(const Value& value, const std::string& key, const std::string& path)
{
    const auto* number = std::get_if<std::int64_t>(&value.held);
    if (number == nullptr || *number < 0)
        refuse(path, "'" + key + "' is no count");
    return *number;
}

std::map<std::int64_t, const Value*> byNumber(const Value& dict)
{
    std::map<std::int64_t, const Value*> found;
    if (const auto* entries = std::get_if<PickleDocument::Dict>(&dict.held)) {
        for (const auto& [key, value] : *entries) {
            if (const auto* number = std::get_if<std::int64_t>(&key->held))
                found[*number] = value;
        }
    }
    return found;
}

std::size_t parametersOfGroups(const Value& groups, const std::string& path)
{
    std::size_t count = 0;
    const auto* list = std::get_if<PickleDocument::List>(&groups.held);
    for (const Value* group : list == nullptr ? PickleDocument::List{} : *list) {
        const auto* numbers = std::get_if<PickleDocument::List>(&member(*group, "params", path).held);
        count += numbers == nullptr ? 0 : numbers->size();
    }
    return count;
}

// A number of steps: a tensor of one element, or (before PyTorch 1.12) a plain number.
std::optional<at::Tensor> plainNumber(const Value& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value.held))
        return at::scalar_tensor(static_cast<double>(*whole));
    if (const auto* real = std::get_if<double>(&value.held))
        return at::scalar_tensor(*real);
    return std::nullopt;
}

std::vector<double> numbersOf(const Value& value, const std::string& key, const std::string& path)
{
    const auto* list = std::get_if<PickleDocument::List>(&value.held);
    std::vector<double> numbers;
    for (const Value* item : list == nullptr ? PickleDocument::List{} : *list) {
        const auto* number = std::get_if<double>(&item->held);
        if (number == nullptr)
            refuse(path, "'" + key + "' has something that is no number");
        numbers.push_back(*number);
    }
    return numbers;
}

// The one state that Python's optimisers do not always keep: None stands for it.
bool isKept(const Value& value)
{
    return !std::holds_alternative<PickleDocument::None>(value.held);
}

} // namespace

SavedState::SavedState(const std::string& path, const TrainingState& state)
    : m_file(path), m_places(modelState(state.model)), m_model(matched(m_places, savedModel(m_file), path))
{
    if (findOptimizer(m_file.root()) == nullptr)
        refuse(path, "it has a model but no optimiser; --weights begins with such a file");
    readOptimizer(state);
    readCounts(state);
    readOrder(state);
    readMeans();
    readScaler(state.scaler);
}

// A checkpoint of Python's own making need not have counts: then this run begins at its first step, with that state.
void SavedState::readCounts(const TrainingState& state)
{
    m_progress.seed = state.progress.seed;
    for (const Count& count : kCounts) {
        if (const Value* value = PickleDocument::find(m_file.root(), count.key))
            m_progress.*count.member = countOf(*value, count.key, path());
        if (m_progress.*count.member > kMostCounted)
            refuse(path(), "'" + std::string(count.key) + "' is no count of a run");
    }
    if (const Value* seed = PickleDocument::find(m_file.root(), "seed")) {
        if (countOf(*seed, "seed", path()) != m_progress.seed && m_progress.takenOfEpoch > 0)
            refuse(path(), "it lies within an epoch that --seed " + std::to_string(countOf(*seed, "seed", path())) +
                               " has shuffled; this run's is " + std::to_string(m_progress.seed));
    }
    if (const Value* best = PickleDocument::find(m_file.root(), "best_loss")) {
        const auto* loss = std::get_if<double>(&best->held);
        if (loss == nullptr || std::isnan(*loss))
            refuse(path(), "'best_loss' is no number");
        m_progress.bestLoss = *loss;
    }
}

// A file without it, Python's or an older one, is believed.
void SavedState::readOrder(const TrainingState& state)
{
    const Value* saved = PickleDocument::find(m_file.root(), "order");
    if (saved == nullptr || m_progress.takenOfEpoch == 0)
        return;
    Statement before;
    const auto* entries = std::get_if<PickleDocument::Dict>(&saved->held);
    for (const auto& [key, value] : entries == nullptr ? PickleDocument::Dict{} : *entries) {
        const auto* name = std::get_if<std::string>(&key->held);
        const auto* text = std::get_if<std::string>(&value->held);
        if (name != nullptr && text != nullptr)
            before.emplace_back(*name, *text);
    }
    if (const std::string change = changeOfOrder(before, state.order); !change.empty())
        refuse(path(), "it lies within an epoch of other samples, or in another order: " + change +
                           "; go on with the same, or from a checkpoint at an epoch's end");
}

void SavedState::readMeans()
{
    const Value* losses = PickleDocument::find(m_file.root(), "epoch_losses");
    const Value* samples = PickleDocument::find(m_file.root(), "epoch_samples");
    if (losses == nullptr || samples == nullptr)
        return;
    const std::vector<double> ofLosses = numbersOf(*losses, "epoch_losses", path());
    const std::vector<double> ofSamples = numbersOf(*samples, "epoch_samples", path());
    if (ofLosses.size() != ofSamples.size())
        refuse(path(), "'epoch_losses' and 'epoch_samples' are of other ranks");
    for (std::size_t rank = 0; rank < ofLosses.size(); ++rank)
        m_means.push_back({ofLosses[rank], ofSamples[rank]});
}

void SavedState::readOptimizer(const TrainingState& state)
{
    const Value& optimizer = *findOptimizer(m_file.root());
    const auto states = byNumber(member(optimizer, "state", path()));
    const auto ours = state.optimizer.state();
    const std::size_t trained = trainedCount(m_places);
    const auto parameters = static_cast<std::size_t>(
        std::ranges::count_if(m_places, [](const ModelTensor& place) { return place.isParameter && !place.sameAs; }));
    const std::size_t theirs = parametersOfGroups(member(optimizer, "param_groups", path()), path());
    if (theirs != parameters && theirs != trained)
        refuse(path(),
               "its optimiser has " + std::to_string(theirs) + " parameters, the model " + std::to_string(parameters));

    m_optimizer.assign(ours.size(), std::vector<at::Tensor>(trained));
    std::size_t kept = 0;
    std::int64_t numbered = 0; // as Python counts: among those that its optimiser was given
    for (const ModelTensor& place : m_places) {
        if (place.sameAs)
            continue;
        const auto own = states.find(numbered);
        numbered += place.isParameter && (place.trained || theirs == parameters) ? 1 : 0;
        if (!place.trained || own == states.end())
            continue;
        for (std::size_t i = 0; i < ours.size(); ++i) {
            const Value* value = PickleDocument::find(*own->second, ours[i].name);
            if (value == nullptr)
                refuse(path(), "its optimiser's state has no '" + ours[i].name + "'; was it another --optimizer?");
            if (!isKept(*value))
                continue;
            const std::string what = ours[i].name + " of " + place.name;
            const bool isCount = !ours[i].tensors.empty() && ours[i].tensors.front().dim() == 0;
            const auto number = isCount ? plainNumber(*value) : std::nullopt;
            at::Tensor tensor = number ? *number : m_file.tensor(*value, what);
            if (isCount ? tensor.numel() != 1 : tensor.sizes() != place.tensor.sizes())
                refuse(path(), what + " has the shape " + c10::str(tensor.sizes()));
            m_optimizer[i][*place.trained] = isCount ? tensor.reshape({}) : tensor;
            ++kept;
        }
        const auto* entries = std::get_if<PickleDocument::Dict>(&own->second->held);
        for (const auto& [key, value] : entries == nullptr ? PickleDocument::Dict{} : *entries) {
            const auto* name = std::get_if<std::string>(&key->held);
            if (name != nullptr && isKept(*value) &&
                std::ranges::find(ours, *name, &Optimizer::State::name) == ours.end())
                refuse(path(), "its optimiser keeps '" + *name + "', this one does not; was it another --optimizer?");
        }
    }
    const Value* step = PickleDocument::find(m_file.root(), "step");
    if (!ours.empty() && trained > 0 && kept == 0 && step != nullptr && countOf(*step, "step", path()) > 0)
        refuse(path(), "its optimiser has no state; was it another --optimizer?");
}

void SavedState::readScaler(const GradScaler& scaler)
{
    m_scaler = scaler.state(); // where the file has none
    const Value* saved = PickleDocument::find(m_file.root(), "scaler");
    if (saved == nullptr || !scaler.enabled())
        return;
    const Value* scale = PickleDocument::find(*saved, "scale");
    if (scale == nullptr)
        return;
    const auto* number = std::get_if<double>(&scale->held);
    if (number == nullptr || !(*number > 0) || *number > std::numeric_limits<float>::max())
        refuse(path(), "the scale of its losses is no number above 0");
    m_scaler.scale = *number;
    m_scaler.growthTracker = countOf(member(*saved, "_growth_tracker", path()), "_growth_tracker", path());
    if (m_scaler.growthTracker > std::numeric_limits<std::int32_t>::max()) // the device's
        refuse(path(), "'_growth_tracker' is no count");
}

} // namespace lockstep::trainer
