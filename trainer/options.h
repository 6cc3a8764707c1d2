// SPDX-License-Identifier: GPL-3.0-or-later
// The options of lockstep-trainer. One table (options.cpp) gives parsing, --help and the messages; every option takes a
// value, `--name value` or `--name=value`, so that a spec's `weight_decay = 0.1` maps to it without knowing its type.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep::trainer {

enum class ModelKind { Mlp, Cnn };
enum class DataKind { FashionMnist, Idx, Synthetic };
enum class OptimizerKind { Sgd, AdamW };
enum class BackendKind { Auto, Gloo, Nccl };
enum class DeviceKind { Auto, Cpu, Cuda };
enum class OnNan { Stop, GoOn };
enum class Switch { No, Yes };

struct Options {
    ModelKind model = ModelKind::Cnn;
    DataKind data = DataKind::FashionMnist;
    std::string dataPath = "/usr/share/datasets/fashion-mnist";
    std::int64_t syntheticSamples = 10000;
    std::int64_t batch = 64; // a rank
    std::int64_t epochs = 1;
    std::int64_t steps = 0; // 0: as many as the epochs have
    std::int64_t seed = 0;
    Switch shuffle = Switch::Yes;
    Switch dropLast = Switch::No;

    OptimizerKind optimizer = OptimizerKind::AdamW;
    double lr = 0; // 0: 0.001 for adamw, 0.01 for sgd
    double momentum = 0.9;
    Switch nesterov = Switch::No;
    double weightDecay = -1; // negative: 0.01 for adamw, 0 for sgd, as in Python

    DeviceKind device = DeviceKind::Auto;
    BackendKind backend = BackendKind::Auto;
    std::int64_t threads = 0; // 0: OMP_NUM_THREADS, else the cores divided among the node's ranks
    double bucketMib = 25;
    double firstBucketMib = 1;
    double timeoutS = 15;
    double rendezvousTimeoutS = 60;

    std::string checkpoint; // empty: none is written
    std::string resume;
    OnNan onNan = OnNan::Stop;
    std::string dumpParameters;

    [[nodiscard]] double learningRate() const;
    [[nodiscard]] double decay() const;
};

// nullopt: --help or --version was asked for and has been printed. Throws Failure(Options) with the option meant.
[[nodiscard]] std::optional<Options> parseOptions(std::span<const char* const> arguments);

[[nodiscard]] std::string helpText();
[[nodiscard]] const char* toString(ModelKind kind);
[[nodiscard]] const char* toString(DataKind kind);
[[nodiscard]] const char* toString(OptimizerKind kind);

} // namespace lockstep::trainer
