// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/checkpoint.h"

#include "trainer/checkpoint/tensorarchive.h"
#include "trainer/failure.h"

#include <ATen/ATen.h>

#include <array>
#include <optional>

namespace lockstep::trainer {

namespace {

using Value = PickleDocument::Value;

struct Count {
    const char* key;
    std::int64_t Progress::*member;
};
constexpr std::array kCounts{Count{"step", &Progress::step}, Count{"epoch", &Progress::epoch},
                             Count{"taken_of_epoch", &Progress::takenOfEpoch}, Count{"seed", &Progress::seed}};
constexpr std::string_view kWrapped = "module."; // what Python's DDP puts before every name

torch::OrderedDict<std::string, at::Tensor> namedState(Model& model)
{
    auto named = model.named_parameters();
    for (const auto& buffer : model.named_buffers())
        named.insert(buffer.key(), buffer.value());
    return named;
}

// {"state": {0: {"exp_avg": tensor, ...}, ...}, "param_groups": [{"params": [0, ...], ...}]}
void writeOptimizer(TensorArchiveWriter& archive, const Optimizer& optimizer, std::size_t parameters)
{
    PickleWriter& pickle = archive.pickle();
    pickle.beginDict();
    pickle.text("state");
    pickle.beginDict();
    for (std::size_t i = 0; i < parameters && !optimizer.state().empty(); ++i) {
        pickle.integer(static_cast<std::int64_t>(i));
        pickle.beginDict();
        for (const Optimizer::State& state : optimizer.state()) {
            pickle.text(state.name);
            archive.tensor(state.tensors[i]);
        }
        pickle.endDict();
    }
    pickle.endDict();
    pickle.text("param_groups");
    pickle.beginList();
    pickle.beginDict();
    for (const auto& [name, value] : optimizer.hyperparameters()) {
        pickle.text(name);
        if (const auto* real = std::get_if<double>(&value)) {
            pickle.real(*real);
        } else if (const auto* truth = std::get_if<bool>(&value)) {
            pickle.truth(*truth);
        } else {
            pickle.beginList();
            for (const double number : std::get<std::vector<double>>(value))
                pickle.real(number);
            pickle.endList();
        }
    }
    pickle.text("params");
    pickle.beginList();
    for (std::size_t i = 0; i < parameters; ++i)
        pickle.integer(static_cast<std::int64_t>(i));
    pickle.endList();
    pickle.endDict();
    pickle.endList();
    pickle.endDict();
}

const Value& member(const Value& dict, const std::string& key, const std::string& path)
{
    const Value* value = PickleDocument::find(dict, key);
    if (value == nullptr)
        throw Failure(ExitCode::Checkpoint, "cannot resume from " + path + ": it has no '" + key + "'");
    return *value;
}

void copyInto(at::Tensor target, const Value& value, const std::string& name, const TensorArchiveReader& archive,
              const std::string& path)
{
    const at::Tensor source = archive.tensor(value, name);
    if (source.sizes() != target.sizes())
        throw Failure(ExitCode::Checkpoint, "cannot resume from " + path + ": " + name + " has the shape " +
                                                c10::str(source.sizes()) + ", the model's has " +
                                                c10::str(target.sizes()));
    target.copy_(source);
}

const Value* findInteger(const Value& dict, std::int64_t key)
{
    const auto* entries = std::get_if<PickleDocument::Dict>(&dict.held);
    if (entries == nullptr)
        return nullptr;
    for (const auto& [name, value] : *entries) {
        const auto* number = std::get_if<std::int64_t>(&name->held);
        if (number != nullptr && *number == key)
            return value;
    }
    return nullptr;
}

void readOptimizer(const TensorArchiveReader& archive, Optimizer& optimizer, const std::string& path)
{
    const Value& states = member(member(archive.root(), "optimizer", path), "state", path);
    for (const Optimizer::State& state : optimizer.state()) {
        for (std::size_t i = 0; i < state.tensors.size(); ++i) {
            const Value* own = findInteger(states, static_cast<std::int64_t>(i));
            if (own == nullptr)
                throw Failure(ExitCode::Checkpoint, "cannot resume from " + path +
                                                        ": it has no optimiser state for parameter " +
                                                        std::to_string(i) + "; was it trained with another optimiser?");
            copyInto(state.tensors[i], member(*own, state.name, path), state.name, archive, path);
        }
    }
}

} // namespace

void saveCheckpoint(const std::string& path, const TrainingState& training)
{
    if (training.group.rank() != 0)
        return;
    TensorArchiveWriter archive(path);
    PickleWriter& pickle = archive.pickle();
    pickle.beginDict();
    pickle.text("model");
    pickle.beginOrderedDict();
    for (const auto& item : namedState(training.model)) {
        pickle.text(item.key());
        archive.tensor(item.value());
    }
    pickle.endDict();
    pickle.text("optimizer");
    writeOptimizer(archive, training.optimizer, training.model.parameters().size());
    for (const Count& count : kCounts) {
        pickle.text(count.key);
        pickle.integer(training.progress.*count.member);
    }
    pickle.text("libtorch");
    pickle.text(TORCH_VERSION);
    pickle.endDict();
    archive.commit();
}

namespace {

Progress readCheckpoint(const std::string& path, TrainingState& training)
{
    const TensorArchiveReader archive(path);
    const Value& state = member(archive.root(), "model", path);
    const auto named = namedState(training.model);
    for (const auto& item : named) {
        const Value* value = PickleDocument::find(state, item.key());
        if (value == nullptr)
            value = PickleDocument::find(state, std::string(kWrapped) + item.key());
        if (value == nullptr)
            throw Failure(ExitCode::Checkpoint, "cannot resume from " + path + ": it has no parameter " + item.key() +
                                                    "; was another --model trained?");
        copyInto(item.value(), *value, item.key(), archive, path);
    }
    Progress progress;
    for (const Count& count : kCounts) {
        const auto* number = std::get_if<std::int64_t>(&member(archive.root(), count.key, path).held);
        if (number == nullptr || *number < 0)
            throw Failure(ExitCode::Checkpoint, "cannot resume from " + path + ": '" + count.key + "' is no count");
        progress.*count.member = *number;
    }
    readOptimizer(archive, training.optimizer, path);
    return progress;
}

} // namespace

void loadCheckpoint(const std::string& path, TrainingState& training)
{
    const at::NoGradGuard noGrad;
    Progress& progress = training.progress;
    if (training.group.rank() == 0)
        progress = readCheckpoint(path, training);
    at::Tensor counts = at::tensor({progress.step, progress.epoch, progress.takenOfEpoch, progress.seed}, at::kLong);
    training.group.broadcast({counts});
    progress = {counts[0].item<std::int64_t>(), counts[1].item<std::int64_t>(), counts[2].item<std::int64_t>(),
                counts[3].item<std::int64_t>()};

    std::vector<at::Tensor> state;
    for (const at::Tensor& parameter : training.model.parameters())
        state.push_back(parameter.detach());
    for (const at::Tensor& buffer : training.model.buffers())
        state.push_back(buffer.detach());
    for (const Optimizer::State& part : training.optimizer.state())
        state.insert(state.end(), part.tensors.begin(), part.tensors.end());
    training.group.broadcast(state);
    training.optimizer.stateWasLoaded(progress.step);
}

} // namespace lockstep::trainer
