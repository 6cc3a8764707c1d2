// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/options.h"

#include "trainer/failure.h"
#include "trainer/optiontable.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace lockstep::trainer {

namespace {

constexpr double kAdamWLearningRate = 1e-3;
constexpr double kSgdLearningRate = 1e-2;
constexpr double kAdamWDecay = 1e-2; // torch.optim.AdamW's default
constexpr std::int64_t kMost = std::int64_t{1} << 40;
constexpr double kMostReal = 1e12;

template <auto Member>
Choice choice(std::vector<std::string_view> names) // names in the order of the enumerators
{
    using Enum = std::remove_cvref_t<decltype(std::declval<Options>().*Member)>;
    return Choice{std::move(names),
                  [](Options& options, std::size_t index) { options.*Member = static_cast<Enum>(index); },
                  [](const Options& options) { return static_cast<std::size_t>(options.*Member); }};
}

std::string_view withoutDashes(std::string_view argument)
{
    argument.remove_prefix(std::min(argument.find_first_not_of('-'), argument.size()));
    return argument;
}

} // namespace

const std::vector<OptionRow>& optionTable()
{
    static const std::vector<OptionRow> table{
        {"model", "NAME", "network to train", choice<&Options::model>({"mlp", "cnn"})},
        {"data", "NAME", "data set; idx: any folder of IDX files",
         choice<&Options::data>({"fashion-mnist", "idx", "synthetic"})},
        {"data-path", "DIR", "folder of train-images-idx3-ubyte and the three others, plain or .gz",
         Text{&Options::dataPath}},
        {"synthetic-samples", "N", "training samples of --data synthetic", Whole{&Options::syntheticSamples, 1, kMost}},
        {"batch", "N", "samples a rank and step", Whole{&Options::batch, 1, 1 << 24}},
        {"epochs", "N", "passes over the data", Whole{&Options::epochs, 1, kMost}},
        {"steps", "N", "end after N steps in all; 0: no such limit", Whole{&Options::steps, 0, kMost}},
        {"seed", "N", "of the initial weights, the shuffling and synthetic data", Whole{&Options::seed, 0, kMost}},
        {"shuffle", "yes|no", "a new order each epoch, as Python's DistributedSampler",
         choice<&Options::shuffle>({"no", "yes"})},
        {"drop-last", "yes|no", "leave out the samples that do not fill all ranks and the last batch",
         choice<&Options::dropLast>({"no", "yes"})},
        {"optimizer", "NAME", "fused optimiser", choice<&Options::optimizer>({"sgd", "adamw"})},
        {"lr", "X", "learning rate; 0: 0.001 for adamw, 0.01 for sgd", Real{&Options::lr, 0, kMostReal}},
        {"momentum", "X", "of sgd", Real{&Options::momentum, 0, 1}},
        {"nesterov", "yes|no", "Nesterov momentum for sgd", choice<&Options::nesterov>({"no", "yes"})},
        {"weight-decay", "X", "-1: 0.01 for adamw, 0 for sgd", Real{&Options::weightDecay, -1, kMostReal}},
        {"device", "NAME", "auto takes the rank's GPU where there is one",
         choice<&Options::device>({"auto", "cpu", "cuda"})},
        {"backend", "NAME", "auto: nccl on GPUs, gloo else", choice<&Options::backend>({"auto", "gloo", "nccl"})},
        {"threads", "N", "of this rank's operations; 0: OMP_NUM_THREADS, else the node's cores divided among its ranks",
         Whole{&Options::threads, 0, 4096}},
        {"bucket-mb", "X", "MiB of gradients reduced together", Real{&Options::bucketMib, 0.001, 1e6}},
        {"first-bucket-mb", "X", "MiB of the first bucket", Real{&Options::firstBucketMib, 0.001, 1e6}},
        {"timeout", "SECONDS", "a peer that stays silent this long in a collective is lost",
         Real{&Options::timeoutS, 0.1, 86400}},
        {"rendezvous-timeout", "SECONDS", "wait this long for the other ranks to start",
         Real{&Options::rendezvousTimeoutS, 0.1, 86400}},
        {"checkpoint", "FILE", "written by rank 0 after every epoch; torch.load(weights_only=True) opens it",
         Text{&Options::checkpoint}},
        {"resume", "FILE", "go on from this checkpoint (rank 0 reads it)", Text{&Options::resume}},
        {"nan", "stop|go-on", "what to do when the loss is not finite", choice<&Options::onNan>({"stop", "go-on"})},
        {"dump-parameters", "FILE", "at the end every rank writes its parameters as raw floats to FILE.RANK",
         Text{&Options::dumpParameters}},
    };
    return table;
}

double Options::learningRate() const
{
    if (lr > 0)
        return lr;
    return optimizer == OptimizerKind::AdamW ? kAdamWLearningRate : kSgdLearningRate;
}

double Options::decay() const
{
    if (weightDecay >= 0)
        return weightDecay;
    return optimizer == OptimizerKind::AdamW ? kAdamWDecay : 0;
}

std::optional<Options> parseOptions(std::span<const char* const> arguments)
{
    Options options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--help" || argument == "-h") {
            std::fputs(helpText().c_str(), stdout);
            return std::nullopt;
        }
        const std::string_view body = withoutDashes(argument);
        const std::size_t equals = body.find('=');
        const std::string_view name = body.substr(0, equals);
        const OptionRow* row = findOption(name);
        if (!argument.starts_with("--") || row == nullptr)
            throw Failure(ExitCode::Options, unknownOption(argument));
        std::string_view value;
        if (equals != std::string_view::npos) {
            value = body.substr(equals + 1);
        } else if (i + 1 < arguments.size()) {
            value = arguments[++i];
        } else {
            throw Failure(ExitCode::Options, "--" + row->name + " needs a value: --" + row->name + " " + row->argument);
        }
        setOption(options, *row, value);
    }
    if (options.nesterov == Switch::Yes && options.momentum <= 0)
        throw Failure(ExitCode::Options, "--nesterov yes needs a --momentum above 0");
    return options;
}

const char* toString(ModelKind kind)
{
    return kind == ModelKind::Mlp ? "mlp" : "cnn";
}

const char* toString(DataKind kind)
{
    switch (kind) {
    case DataKind::FashionMnist:
        return "fashion-mnist";
    case DataKind::Idx:
        return "idx";
    case DataKind::Synthetic:
        return "synthetic";
    }
    return "";
}

const char* toString(OptimizerKind kind)
{
    return kind == OptimizerKind::Sgd ? "sgd" : "adamw";
}

} // namespace lockstep::trainer
