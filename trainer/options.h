// SPDX-License-Identifier: GPL-3.0-or-later
// The options of lockstep-trainer. One table (optionrows.cpp) gives parsing, --help and messages; every option takes a
// value, `--name value` or `--name=value`, so that a spec's `weight_decay = 0.1` maps to it without knowing its type.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep::trainer {

enum class ModelKind { Mlp, Cnn, Resnet18, Resnet50, Vit, Gpt, Library, TorchScript };
enum class Positions { Learned, Rotary };
enum class Attention { Fused, Plain };
enum class DataKind { FashionMnist, Idx, Cifar10, Cifar100, Images, Tokens, Text, Synthetic };
enum class TokenType { Uint16, Uint32 };
enum class Augment { None, Crop, CropFlip };
enum class Uneven { Pad, Join };
enum class OptimizerKind { Sgd, Adam, AdamW };
enum class ScheduleKind { Constant, Warmup, Cosine, Step, OneCycle };
enum class Precision { Fp32, Tf32, Bf16, Fp16 };
enum class StrategyKind { Ddp, Fsdp, Dp, Single };
enum class Compression { None, Fp16, Bf16 };
enum class FsdpUnits { Blocks, Size };
enum class FsdpAccumulate { Shards, Full };
enum class BackendKind { Auto, Gloo, Nccl };
enum class DeviceKind { Auto, Cpu, Cuda };
enum class OnNan { Stop, Skip, GoOn };
enum class Switch { No, Yes };

struct Options {
    // What is trained.
    ModelKind model = ModelKind::Cnn;
    std::string modelFile;  // of library and torchscript
    std::int64_t width = 0; // 0, here and below: the model's own
    std::int64_t depth = 0;
    std::int64_t heads = 0;
    std::int64_t patch = 0;
    double dropout = 0;
    Positions positions = Positions::Learned;
    Attention attention = Attention::Fused;

    // On what.
    DataKind data = DataKind::FashionMnist;
    std::string dataPath = "/usr/share/datasets/fashion-mnist";
    std::int64_t syntheticSamples = 10000;
    std::int64_t imageSize = 0; // of synthetic and image-folder data
    std::int64_t channels = 0;
    std::int64_t classes = 0;
    std::int64_t context = 128; // tokens a sample
    std::int64_t vocabulary = 0;
    TokenType tokenType = TokenType::Uint16;
    Augment augment = Augment::None;
    std::int64_t workers = -1; // -1: min(8, cores / ranks)
    std::int64_t prefetch = 2; // batches a worker
    std::int64_t batch = 64;   // a rank and micro-batch
    std::int64_t epochs = 1;
    std::int64_t steps = 0; // 0: as many as the epochs have
    std::int64_t seed = 0;
    Switch shuffle = Switch::Yes;
    Switch dropLast = Switch::No;
    Uneven uneven = Uneven::Pad;
    std::int64_t evaluateEvery = 1; // epochs; 0: never

    // How.
    OptimizerKind optimizer = OptimizerKind::AdamW;
    double lr = 0; // 0: 0.001 for adam and adamw, 0.01 for sgd
    double momentum = 0.9;
    Switch nesterov = Switch::No;
    double weightDecay = -1; // negative: 0.01 for adamw, 0 for the others, as in Python
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    ScheduleKind schedule = ScheduleKind::Constant;
    std::int64_t warmupSteps = 0;
    std::int64_t scheduleEvery = 1000; // steps
    double gamma = 0.1;
    double lrMin = 0;
    std::int64_t accumulate = 1; // micro-batches a step
    double clipNorm = 0;
    double clipValue = 0;
    std::int64_t gradNormEvery = 10; // steps; 0: only where clipping needs it
    Precision precision = Precision::Fp32;
    double lossScale = 65536;
    std::int64_t lossScaleEvery = 2000;
    OnNan onNan = OnNan::Stop;
    Switch activationCheckpointing = Switch::No;
    Switch channelsLast = Switch::No;
    Switch cudaGraphs = Switch::No;

    // On which ranks.
    StrategyKind strategy = StrategyKind::Ddp;
    std::int64_t dpDevices = 0; // 0: all GPUs; on a CPU: two
    double bucketMib = 25;
    double firstBucketMib = 1;
    Switch bucketViews = Switch::Yes;
    Switch findUnused = Switch::No;
    Switch staticGraph = Switch::No;
    Switch broadcastBuffers = Switch::Yes;
    Compression compression = Compression::None;
    Switch syncBatchNorm = Switch::No;
    FsdpUnits fsdpUnits = FsdpUnits::Blocks;
    double fsdpUnitMib = 20;
    Switch fsdpReshard = Switch::Yes;
    Switch fsdpPrefetch = Switch::Yes;
    Switch fsdpBf16 = Switch::No;
    FsdpAccumulate fsdpAccumulate = FsdpAccumulate::Full;
    DeviceKind device = DeviceKind::Auto;
    BackendKind backend = BackendKind::Auto;
    std::int64_t threads = 0; // 0: OMP_NUM_THREADS, else the cores divided among the node's ranks
    std::string init = "env://";
    double timeoutS = 15;
    double rendezvousTimeoutS = 60;

    // What is kept.
    std::string checkpoint; // a folder; empty: none is written
    std::int64_t checkpointEpochs = 1;
    std::int64_t checkpointSteps = 0;
    double checkpointMinutes = 0;
    std::int64_t keepLast = 3;
    Switch keepBest = Switch::Yes;
    std::string resume; // a checkpoint, or a folder of them
    Switch resumeOlder = Switch::No;
    std::string weights;
    std::string exportWeights;
    std::string dumpParameters;
    std::string dumpGradients;

    [[nodiscard]] double learningRate() const;
    [[nodiscard]] double decay() const;
    [[nodiscard]] std::chrono::milliseconds timeout() const;
    [[nodiscard]] std::chrono::milliseconds rendezvousTimeout() const;
};

// nullopt: --help or --help-table was asked for and has been printed. Throws Failure(Options) with the option meant.
[[nodiscard]] std::optional<Options> parseOptions(std::span<const char* const> arguments);

[[nodiscard]] std::string helpText();
[[nodiscard]] std::string
helpTable(); // the same for programs, --help-table: a heading and a line an option, tabs between

// Every option with the value in use, defaults too: the resolved configuration, as said in the run's records:
// `model=cnn data-path="/my data" ...`, a value in quotes where it has a blank, quote, backslash or equals sign.
[[nodiscard]] std::string configuration(const Options& options);
[[nodiscard]] std::string valueOf(const Options& options, std::string_view name); // as it would be typed

} // namespace lockstep::trainer
