// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/optioncheck.h"

#include "trainer/failure.h"
#include "trainer/optiontable.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep::trainer {

namespace {

// An option that another one's choice gives a meaning.
struct Belongs {
    std::string_view option;
    std::string_view to;       // the option that decides
    std::string_view meanings; // its values that use it, as said to people
    bool (*used)(const Options&);
};

constexpr auto kSgd = [](const Options& o) { return o.optimizer == OptimizerKind::Sgd; };
constexpr auto kAdam = [](const Options& o) { return o.optimizer != OptimizerKind::Sgd; };
constexpr auto kCuts = [](const Options& o) { return o.schedule == ScheduleKind::Step; };
constexpr auto kCosine = [](const Options& o) { return o.schedule == ScheduleKind::Cosine; };
constexpr auto kFp16 = [](const Options& o) { return o.precision == Precision::Fp16; };
constexpr auto kDdp = [](const Options& o) { return o.strategy == StrategyKind::Ddp; };
constexpr auto kFsdp = [](const Options& o) { return o.strategy == StrategyKind::Fsdp; };
constexpr auto kUnitsBySize = [](const Options& o) { return o.fsdpUnits == FsdpUnits::Size; };
constexpr auto kRanks = [](const Options& o) { return kDdp(o) || kFsdp(o); };
constexpr auto kDp = [](const Options& o) { return o.strategy == StrategyKind::Dp; };

constexpr auto kKeeps = [](const Options& o) { return !o.checkpoint.empty(); };
constexpr auto kGoesOn = [](const Options& o) { return !o.resume.empty(); };

constexpr auto kSynthetic = [](const Options& o) { return o.data == DataKind::Synthetic; };
constexpr auto kSized = [](const Options& o) { return kSynthetic(o) || o.data == DataKind::Images; };
constexpr auto kTokens = [](const Options& o) { return o.data == DataKind::Tokens; };
constexpr auto kSequences = [](const Options& o) { return kTokens(o) || o.data == DataKind::Text || kSynthetic(o); };
constexpr auto kPictures = [](const Options& o) { return !kSequences(o); };

constexpr Belongs kTable[] = {
    {"image-size", "data", "images or synthetic", kSized},
    {"channels", "data", "images or synthetic", kSized},
    {"classes", "data", "synthetic", kSynthetic},
    {"context", "data", "tokens, text or synthetic", kSequences},
    {"vocabulary", "data", "tokens, text or synthetic", kSequences},
    {"token-type", "data", "tokens", kTokens},
    {"augment", "data", "fashion-mnist, idx, cifar10, cifar100 or images", kPictures},
    {"momentum", "optimizer", "sgd", kSgd},
    {"nesterov", "optimizer", "sgd", kSgd},
    {"beta1", "optimizer", "adam or adamw", kAdam},
    {"beta2", "optimizer", "adam or adamw", kAdam},
    {"epsilon", "optimizer", "adam or adamw", kAdam},
    {"schedule-every", "schedule", "step", kCuts},
    {"gamma", "schedule", "step", kCuts},
    {"lr-min", "schedule", "cosine", kCosine},
    {"loss-scale", "precision", "fp16", kFp16},
    {"loss-scale-every", "precision", "fp16", kFp16},
    {"bucket-mb", "strategy", "ddp", kDdp},
    {"first-bucket-mb", "strategy", "ddp", kDdp},
    {"bucket-views", "strategy", "ddp", kDdp},
    {"find-unused-parameters", "strategy", "ddp or fsdp", kRanks},
    {"static-graph", "strategy", "ddp", kDdp},
    {"gradient-compression", "strategy", "ddp", kDdp},
    {"sync-batch-norm", "strategy", "ddp or fsdp", kRanks},
    {"fsdp-units", "strategy", "fsdp", kFsdp},
    {"fsdp-unit-mb", "fsdp-units", "size", kUnitsBySize},
    {"fsdp-reshard", "strategy", "fsdp", kFsdp},
    {"fsdp-prefetch", "strategy", "fsdp", kFsdp},
    {"fsdp-bf16", "strategy", "fsdp", kFsdp},
    {"fsdp-accumulate", "strategy", "fsdp", kFsdp},
    {"dp-devices", "strategy", "dp", kDp},
    {"broadcast-buffers", "strategy", "ddp or fsdp", kRanks},
    {"checkpoint-epochs", "checkpoint", "FOLDER", kKeeps},
    {"checkpoint-steps", "checkpoint", "FOLDER", kKeeps},
    {"checkpoint-minutes", "checkpoint", "FOLDER", kKeeps},
    {"keep-last", "checkpoint", "FOLDER", kKeeps},
    {"keep-best", "checkpoint", "FOLDER", kKeeps},
    {"resume-older", "resume", "PATH", kGoesOn},
};

[[noreturn]] void refuse(const std::string& sentence)
{
    throw Failure(ExitCode::Options, sentence);
}

bool sameFolder(const std::string& a, const std::string& b)
{
    const auto plain = [](const std::string& path) { return (std::filesystem::path(path) / "").lexically_normal(); };
    return plain(a) == plain(b);
}

std::string without(const Options& options, std::string_view name) // "in --data idx", "without --resume"
{
    const std::string value = valueOf(options, name);
    return (value.empty() ? "without --" : "in --") + std::string(name) + (value.empty() ? "" : " " + value);
}

} // namespace

void refuseContradictions(const Options& options)
{
    const Options defaults;
    for (const Belongs& row : kTable) {
        if (!row.used(options) && valueOf(options, row.option) != valueOf(defaults, row.option))
            refuse("--" + std::string(row.option) + " has no part " + without(options, row.to) + ": it is for --" +
                   std::string(row.to) + " " + std::string(row.meanings));
    }
    if (options.fsdpBf16 == Switch::Yes && (options.precision == Precision::Bf16 || kFp16(options)))
        refuse("--fsdp-bf16 yes computes in bf16 already: leave --precision " + valueOf(options, "precision") + " out");
    if (options.nesterov == Switch::Yes && options.momentum <= 0)
        refuse("--nesterov yes needs a --momentum above 0");
    if (options.staticGraph == Switch::Yes && options.accumulate > 1) // Python's DDP ends with an internal error
        refuse(
            "--static-graph yes does not go with --accumulate above 1: in the first backward PyTorch's reducer counts "
            "each parameter's gradients, and waits for as many in every one that it reduces");
    if (options.schedule == ScheduleKind::Warmup && options.warmupSteps == 0)
        refuse("--schedule warmup needs --warmup-steps above 0");
    if (options.schedule == ScheduleKind::OneCycle && options.warmupSteps > 0)
        refuse("--schedule one-cycle begins with a warm-up of its own: leave --warmup-steps out");
    if (options.schedule == ScheduleKind::Cosine && options.lrMin > options.learningRate())
        refuse("--lr-min " + valueOf(options, "lr-min") + " is above the learning rate, where cosine begins");
    if (options.uneven == Uneven::Join && options.syncBatchNorm == Switch::Yes)
        refuse(
            "--uneven join does not go with --sync-batch-norm yes: a rank that has run out of samples has no mean to "
            "give");
    if (kFsdp(options) && options.device == DeviceKind::Cuda && options.backend == BackendKind::Gloo)
        refuse("--strategy fsdp on GPUs needs --backend nccl: Gloo cannot gather and reduce shards that lie there");
    if (!options.weights.empty() && kGoesOn(options) && !sameFolder(options.resume, options.checkpoint))
        refuse(
            "--weights and --resume contradict each other: the checkpoint has the weights; --resume with the folder of "
            "--checkpoint takes --weights for the first attempt");
    if (options.uneven == Uneven::Join && options.dropLast == Switch::Yes)
        refuse("--uneven join keeps the samples that --drop-last yes leaves out: choose one");
}

} // namespace lockstep::trainer
