// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trainerdefaults.h"

#include "core/nearestname.h"

#include <algorithm>
#include <array>

namespace lockstep {
namespace {

using enum TrainerDefault::Place;

constexpr std::array kTable{
    TrainerDefault{"model", "cnn", "network to train", "mlp cnn", Form},
    TrainerDefault{"data", "fashion-mnist", "data set; idx: any folder of IDX files", "fashion-mnist idx synthetic",
                   Form},
    TrainerDefault{"data_path", "/usr/share/datasets/fashion-mnist",
                   "folder of train-images-idx3-ubyte and the three others, plain or .gz", "", Form},
    TrainerDefault{"synthetic_samples", "10000", "training samples of --data synthetic", "", SpecOnly},
    TrainerDefault{"batch", "64", "samples a rank and step", "", Form},
    TrainerDefault{"epochs", "1", "passes over the data", "", Form},
    TrainerDefault{"steps", "0", "end after N steps in all; 0: no such limit", "", SpecOnly},
    TrainerDefault{"seed", "0", "of the initial weights, the shuffling and synthetic data", "", Advanced},
    TrainerDefault{"shuffle", "yes", "a new order each epoch, as Python's DistributedSampler", "no yes", SpecOnly},
    TrainerDefault{"drop_last", "no", "leave out the samples that do not fill all ranks and the last batch", "no yes",
                   SpecOnly},
    TrainerDefault{"optimizer", "adamw", "fused optimiser", "sgd adamw", Form},
    TrainerDefault{"lr", "0", "learning rate; 0: 0.001 for adamw, 0.01 for sgd", "", Form},
    TrainerDefault{"momentum", "0.9", "of sgd", "", Advanced},
    TrainerDefault{"nesterov", "no", "Nesterov momentum for sgd", "no yes", SpecOnly},
    TrainerDefault{"weight_decay", "-1", "-1: 0.01 for adamw, 0 for sgd", "", Advanced},
    TrainerDefault{"device", "auto", "auto takes the rank's GPU where there is one", "auto cpu cuda", SpecOnly},
    TrainerDefault{"backend", "auto", "auto: nccl on GPUs, gloo else", "auto gloo nccl", SpecOnly},
    TrainerDefault{"threads", "0",
                   "of this rank's operations; 0: OMP_NUM_THREADS, else the node's cores divided among its ranks", "",
                   Advanced},
    TrainerDefault{"bucket_mb", "25", "MiB of gradients reduced together", "", Advanced},
    TrainerDefault{"first_bucket_mb", "1", "MiB of the first bucket", "", SpecOnly},
    TrainerDefault{"timeout", "15", "a peer that stays silent this long in a collective is lost", "", SpecOnly},
    TrainerDefault{"rendezvous_timeout", "60", "wait this long for the other ranks to start", "", SpecOnly},
    TrainerDefault{"checkpoint", "", "written by rank 0 after every epoch; torch.load(weights_only=True) opens it", "",
                   SpecOnly},
    TrainerDefault{"resume", "", "go on from this checkpoint (rank 0 reads it)", "", SpecOnly},
    TrainerDefault{"nan", "stop", "what to do when the loss is not finite", "stop go-on", SpecOnly},
    TrainerDefault{"dump_parameters", "", "at the end every rank writes its parameters as raw floats to FILE.RANK", "",
                   SpecOnly},
};

struct ByOptimizer { // the trainer's default of these stands for "as the optimiser likes it"
    const char* name;
    const char* adamw;
    const char* sgd;
};
constexpr std::array kByOptimizer{ByOptimizer{"lr", "0.001", "0.01"}, ByOptimizer{"weight_decay", "0.01", "0"}};

} // namespace

std::span<const TrainerDefault> trainerDefaults()
{
    return kTable;
}

const TrainerDefault* trainerDefault(const QString& name)
{
    const auto* found =
        std::ranges::find_if(kTable, [&](const TrainerDefault& one) { return name == QLatin1String(one.name); });
    return found == kTable.end() ? nullptr : found;
}

QStringList choicesOf(const QString& name)
{
    const TrainerDefault* known = trainerDefault(name);
    return known ? QString::fromLatin1(known->choices).split(u' ', Qt::SkipEmptyParts) : QStringList();
}

QString usualValue(const RunSpec& spec, const QString& name)
{
    for (const ByOptimizer& one : kByOptimizer) {
        if (name == QLatin1String(one.name))
            return QString::fromLatin1(
                valueInUse(spec, QStringLiteral("optimizer")) == QLatin1String("sgd") ? one.sgd : one.adamw);
    }
    const TrainerDefault* known = trainerDefault(name);
    return known ? QString::fromLatin1(known->value) : QString();
}

QString valueInUse(const RunSpec& spec, const QString& name)
{
    const QByteArray said = spec.option(name);
    return said.isEmpty() ? usualValue(spec, name) : QString::fromUtf8(said);
}

Result<void> checkTrainerOption(const QString& name, const QByteArray& value)
{
    if (trainerDefault(name)) {
        const QStringList choices = choicesOf(name);
        if (choices.isEmpty() || choices.contains(QString::fromUtf8(value)))
            return {};
        return failure(ErrorCode::BadInput,
                       QStringLiteral("%1 is one of %2, not \"%3\".")
                           .arg(name, choices.join(QLatin1String(", ")), QString::fromUtf8(value)));
    }
    QStringList names;
    for (const TrainerDefault& one : kTable)
        names.append(QLatin1String(one.name));
    const QString nearest = nearestName(name, names);
    if (nearest.isEmpty())
        return failure(ErrorCode::BadInput, QStringLiteral("\"%1\" is no option of the trainer; it has %2.")
                                                .arg(name, names.join(QLatin1String(", "))));
    return failure(ErrorCode::BadInput, QStringLiteral("\"%1\" is no option of the trainer; %2 is: %3.")
                                            .arg(name, nearest, QString::fromLatin1(trainerDefault(nearest)->meaning)));
}

} // namespace lockstep
