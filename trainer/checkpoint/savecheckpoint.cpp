// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/checkpoint.h"

#include <ATen/ATen.h>

namespace lockstep::trainer {

namespace {

constexpr char kRandom[] =
    "none is kept: each step seeds its generators with splitmix64 of (seed, rank, step), an epoch's "
    "order is torch.randperm's for seed + epoch";

constexpr std::string_view kSteps = "step"; // what the Adams count for each parameter

// Of one optimiser state ("exp_avg"): the stored tensor of each trained parameter; key empty: it has none.
using StoredParts = std::vector<StoredTensor>;

class StateWriter {
public:
    StateWriter(const std::string& path, const TrainingState& state, RankZero& zero)
        : m_state(state), m_zero(zero), m_places(modelState(state.model)), m_trained(trainedCount(m_places)),
          m_untouched(m_trained)
    {
        m_zero.attempt([&] { m_archive.emplace(path); });
    }

    std::uint64_t write()
    {
        const EpochMean::Sums& sums = m_state.mean.sums();
        m_means = m_state.group.allGather(at::tensor({sums.loss, sums.samples}, at::kDouble));
        const StoredParts trained = gathered(m_state.strategy.parameters());
        std::vector<StoredParts> optimizer;
        for (const Optimizer::State& part : m_state.optimizer.state())
            optimizer.push_back(ofOptimizer(part));
        std::uint64_t bytes = 0;
        m_zero.attempt([&] {
            m_pickle.beginDict();
            writeModel(trained);
            writeOptimizer(optimizer);
            writeScaler();
            writeProgress();
            m_pickle.endDict();
            m_archive->commit(m_pickle);
            bytes = m_archive->bytes();
        });
        return bytes;
    }

private:
    StoredParts gathered(const std::vector<at::Tensor>& parts)
    {
        return gathered(parts, [](std::size_t, const at::Tensor&) {});
    }

    template <typename Look>
    StoredParts gathered(const std::vector<at::Tensor>& parts, const Look& look)
    {
        StoredParts stored(m_trained);
        m_state.strategy.gather(parts, [&](std::size_t parameter, const at::Tensor& whole) {
            m_zero.attempt([&] {
                stored.at(parameter) = m_archive->add(whole);
                look(parameter, whole);
            });
            m_zero.keepPace(whole.nbytes());
        });
        return stored;
    }

    StoredParts ofOptimizer(const Optimizer::State& part)
    {
        return gathered(part.tensors, [&](std::size_t parameter, const at::Tensor& whole) {
            if (part.name == kSteps)
                m_untouched[parameter] = whole.item<double>() == 0;
        });
    }

    void writeModel(const StoredParts& trained)
    {
        m_pickle.text("model");
        m_pickle.beginOrderedDict();
        std::vector<StoredTensor> stored; // of one storage where one tensor has several names, as torch.save has them
        for (const ModelTensor& place : m_places) {
            if (place.sameAs)
                stored.push_back(stored[*place.sameAs]);
            else
                stored.push_back(place.trained ? trained[*place.trained] : m_archive->add(place.tensor));
            m_pickle.text(place.name);
            m_pickle.tensor(stored.back());
        }
        m_pickle.endDict();
    }

    // A parameter's number is its place among all of the model's, as in Python for model.parameters(): each once.
    void writeOptimizer(const std::vector<StoredParts>& stored)
    {
        m_pickle.text("optimizer");
        m_pickle.beginDict();
        m_pickle.text("state");
        m_pickle.beginDict();
        std::int64_t number = 0;
        for (const ModelTensor& place : m_places) {
            if (place.sameAs)
                continue;
            if (place.trained && !stored.empty() && !m_untouched[*place.trained])
                writeParameterState(number, *place.trained, stored);
            number += place.isParameter ? 1 : 0;
        }
        m_pickle.endDict();
        m_pickle.text("param_groups");
        m_pickle.beginList();
        writeGroup(number);
        m_pickle.endList();
        m_pickle.endDict();
    }

    void writeParameterState(std::int64_t number, std::size_t trained, const std::vector<StoredParts>& stored)
    {
        m_pickle.integer(number);
        m_pickle.beginDict();
        for (std::size_t i = 0; i < stored.size(); ++i) {
            m_pickle.text(m_state.optimizer.state()[i].name);
            m_pickle.tensor(stored[i][trained]);
        }
        m_pickle.endDict();
    }

    void writeGroup(std::int64_t parameters)
    {
        m_pickle.beginDict();
        for (const auto& [name, value] : m_state.optimizer.hyperparameters()) {
            m_pickle.text(name);
            if (const auto* real = std::get_if<double>(&value)) {
                m_pickle.real(*real);
            } else if (const auto* truth = std::get_if<bool>(&value)) {
                m_pickle.truth(*truth);
            } else {
                m_pickle.beginList();
                for (const double number : std::get<std::vector<double>>(value))
                    m_pickle.real(number);
                m_pickle.endList();
            }
        }
        m_pickle.text("params");
        m_pickle.beginList();
        for (std::int64_t i = 0; i < parameters; ++i)
            m_pickle.integer(i);
        m_pickle.endList();
        m_pickle.endDict();
    }

    void writeScaler() // empty when there is none, as Python's
    {
        m_pickle.text("scaler");
        m_pickle.beginDict();
        if (m_state.scaler.enabled()) {
            const GradScaler::State scaler = m_state.scaler.state();
            m_pickle.text("scale");
            m_pickle.real(scaler.scale);
            m_pickle.text("growth_factor");
            m_pickle.real(scaler.growthFactor);
            m_pickle.text("backoff_factor");
            m_pickle.real(scaler.backoffFactor);
            m_pickle.text("growth_interval");
            m_pickle.integer(scaler.growthInterval);
            m_pickle.text("_growth_tracker");
            m_pickle.integer(scaler.growthTracker);
        }
        m_pickle.endDict();
    }

    void writeProgress()
    {
        const Progress& progress = m_state.progress;
        const auto count = [this](const char* key, std::int64_t value) {
            m_pickle.text(key);
            m_pickle.integer(value);
        };
        count("step", progress.step);
        count("epoch", progress.epoch);
        count("taken_of_epoch", progress.takenOfEpoch);
        count("seed", progress.seed);
        m_pickle.text("best_loss");
        m_pickle.real(progress.bestLoss);
        writeMeans();
        m_pickle.text("order");
        m_pickle.beginDict();
        for (const auto& [name, value] : m_state.order) {
            m_pickle.text(name);
            m_pickle.text(value);
        }
        m_pickle.endDict();
        m_pickle.text("random");
        m_pickle.text(kRandom);
        m_pickle.text("libtorch");
        m_pickle.text(TORCH_VERSION);
    }

    void writeMeans()
    {
        for (const auto& [name, column] : {std::pair("epoch_losses", 0), std::pair("epoch_samples", 1)}) {
            m_pickle.text(name);
            m_pickle.beginList();
            for (const at::Tensor& ofRank : m_means)
                m_pickle.real(ofRank[column].item<double>());
            m_pickle.endList();
        }
    }

    const TrainingState& m_state;
    RankZero& m_zero;
    std::vector<at::Tensor> m_means; // by rank: the sum of losses in this epoch, and the samples
    std::vector<ModelTensor> m_places;
    std::size_t m_trained;
    std::vector<bool> m_untouched; // parameters that never had a gradient: Python's optimisers keep nothing for them
    std::optional<TensorArchiveWriter> m_archive; // on rank 0
    PickleWriter m_pickle;
};

} // namespace

std::uint64_t saveCheckpoint(const std::string& path, const TrainingState& state, RankZero& zero)
{
    const at::NoGradGuard noGrad;
    return StateWriter(path, state, zero).write();
}

} // namespace lockstep::trainer
