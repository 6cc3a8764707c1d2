// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planenvironment.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr const char* kOwnNames[] = {
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "LOCAL_WORLD_SIZE",
    "NODE_RANK",
    "GROUP_RANK",
    "MASTER_ADDR",
    "MASTER_PORT",
    "GLOO_SOCKET_IFNAME",
    "NCCL_SOCKET_IFNAME",
    "CUDA_VISIBLE_DEVICES",
    "OMP_NUM_THREADS",
    "GLIBC_TUNABLES",
    "PYTHONUNBUFFERED",
    "TORCH_NCCL_ASYNC_ERROR_HANDLING",
};

constexpr const char* kLaunchNames[] = {
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "LOCAL_WORLD_SIZE",
    "NODE_RANK",
    "GROUP_RANK",
    "GROUP_WORLD_SIZE",
    "LOCAL_SIZE",
    "NNODES",
    "NPROC_PER_NODE",
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "OMP_NUM_THREADS",
};

constexpr const char* kLaunchPrefixes[] = {
    "MASTER_",
    "ROLE_",
    "SLURM_",
    "SLURMD_",
    "SBATCH_",
    "SRUN_",
    "PET_",
    "OMPI_",
    "PMI_",
    "PMIX_",
    "PRTE_",
    "MPI_",
    "MV2_",
    "HYDRA_",
    "HYDI_",
    "TORCHELASTIC_",
    "TORCHRUN_",
    "TORCH_NCCL_",
    "NCCL_",
    "GLOO_",
    "PBS_",
    "LSB_",
    "LSF_",
    "SGE_",
    "JSM_",
    "HOROVOD_",
    "ACCELERATE_",
    "DEEPSPEED_",
    "RAY_",
    "LOCKSTEP_RUN",
    "LOCKSTEP_ATTEMPT",
};

// The agent tags ranks with these to find them again: not even an override may touch them.
bool isTag(const QByteArray& name)
{
    return name == "LOCKSTEP_RUN" || name == "LOCKSTEP_ATTEMPT";
}

QString shown(const QByteArray& name)
{
    constexpr qsizetype kShown = 60;
    QString text = QString::fromUtf8(name.left(kShown));
    text.replace(QChar(0), QStringLiteral("\\0"));
    return text;
}

void checkEntry(QList<Problem>& problems, const QByteArray& name, const QByteArray& value, const QString& table)
{
    const auto refuse = [&](const QString& title, const QString& detail) {
        problems.append({Severity::Error, {}, title, detail});
    };
    if (name.isEmpty() || name.contains('=') || name.contains('\0') || name.startsWith('-'))
        refuse(QStringLiteral("\"%1\" can't be a variable's name").arg(shown(name)),
               QStringLiteral(
                   "It stands in [%1]. A name is not empty, holds no \"=\" and no NUL, and does not begin with \"-\".")
                   .arg(table));
    else if (isTag(name))
        refuse(QStringLiteral("%1 is Lockstep's own tag").arg(shown(name)),
               QStringLiteral("By it a run's processes are found again; take it out of [%1].").arg(table));
    if (value.contains('\0'))
        refuse(QStringLiteral("The variable %1 holds a NUL byte").arg(shown(name)),
               QStringLiteral("No program can be given one: the system ends a variable there. Take it out of [%1].")
                   .arg(table));
    if (name.size() + 1 + value.size() > kMaxArgumentBytes)
        refuse(QStringLiteral("The variable %1 is longer than 128 KiB").arg(shown(name)),
               QStringLiteral("It has %1 bytes, and the system starts no program with more than 131,071 in one. Put "
                              "the text into a file.")
                   .arg(value.size()));
}

void checkArgument(QList<Problem>& problems, const QByteArray& value, const QString& which)
{
    if (value.contains('\0'))
        problems.append({Severity::Error,
                         {},
                         QStringLiteral("%1 holds a NUL byte").arg(which),
                         QStringLiteral("No program can be given one: the system ends an argument there.")});
    if (value.size() > kMaxArgumentBytes)
        problems.append({Severity::Error,
                         {},
                         QStringLiteral("%1 is longer than 128 KiB").arg(which),
                         QStringLiteral("It has %1 bytes, and the system starts no program with more than 131,071 in "
                                        "one. Put the text into a file.")
                             .arg(value.size())});
}

} // namespace

QByteArray valueOf(const Environment& environment, const QByteArray& name)
{
    const auto it =
        std::find_if(environment.begin(), environment.end(), [&](const auto& entry) { return entry.first == name; });
    return it == environment.end() ? QByteArray() : it->second;
}

void setValue(Environment& environment, const QByteArray& name, const QByteArray& value)
{
    const auto it =
        std::find_if(environment.begin(), environment.end(), [&](const auto& entry) { return entry.first == name; });
    if (it == environment.end())
        environment.append({name, value});
    else
        it->second = value;
}

bool isOwnVariable(const QByteArray& name)
{
    return std::any_of(std::begin(kOwnNames), std::end(kOwnNames), [&](const char* own) { return name == own; });
}

Environment ownEnvironment(const RankPlace& place)
{
    const auto number = [](int value) { return QByteArray::number(value); };
    Environment env{
        {"RANK", number(place.rank)},
        {"LOCAL_RANK", number(place.localRank)},
        {"WORLD_SIZE", number(place.worldSize)},
        {"LOCAL_WORLD_SIZE", number(place.localWorldSize)},
        {"NODE_RANK", number(place.nodeRank)},
        {"GROUP_RANK", number(place.nodeRank)},
        {"MASTER_ADDR", place.masterAddr.toUtf8()},
        {"MASTER_PORT", number(place.masterPort)},
    };
    if (!place.interface.isEmpty()) {
        setValue(env, "GLOO_SOCKET_IFNAME", place.interface.toUtf8());
        env.append(
            {"NCCL_SOCKET_IFNAME", "=" + place.interface.toUtf8()}); // exactly: bond0 alone also matches bond0.2093
    }
    QByteArray visible; // all of the node's, so that LOCAL_RANK is the device's number; by uuid: CUDA's order differs
                        // from NVML's
    for (const DeviceFacts& device : place.devices)
        visible += (visible.isEmpty() ? "" : ",") + device.uuid.toUtf8();
    setValue(env, "CUDA_VISIBLE_DEVICES", visible); // empty hides GPUs that a CPU run was not given
    setValue(env, "OMP_NUM_THREADS", number(place.threads));
    setValue(env, "GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"); // known-traps.md: 1.07 to 1.17 times on CPU
    setValue(env, "PYTHONUNBUFFERED", "1");
    setValue(env, "TORCH_NCCL_ASYNC_ERROR_HANDLING", "1");
    return env;
}

QList<Problem> checkEnvironment(const RunSpec& spec)
{
    QList<Problem> problems;
    for (const auto& [name, value] : spec.env) {
        checkEntry(problems, name, value, QStringLiteral("env"));
        if (isOwnVariable(name))
            problems.append({Severity::Error,
                             {},
                             QStringLiteral("%1 is set by Lockstep").arg(shown(name)),
                             QStringLiteral("The plan gives it a value for each rank. If yours is meant, write it in "
                                            "[env_override] instead of [env]; the plan then shows it.")});
    }
    for (const auto& [name, value] : spec.envOverride)
        checkEntry(problems, name, value, QStringLiteral("env_override"));
    for (const TrainerOption& option : spec.trainer)
        checkArgument(problems, option.value, QStringLiteral("The option %1").arg(option.name));
    for (qsizetype i = 0; i < spec.arguments.size(); ++i)
        checkArgument(problems, spec.arguments[i],
                      QStringLiteral("Argument %1 (\"%2\")").arg(i + 1).arg(shown(spec.arguments[i].left(20))));
    return problems;
}

Environment withSpec(Environment own, const RunSpec& spec)
{
    for (const auto& [name, value] : spec.env) {
        if (!isOwnVariable(name))
            setValue(own, name, value);
    }
    for (const auto& [name, value] : spec.envOverride)
        setValue(own, name, value);
    return own;
}

QStringList overriddenNames(const RunSpec& spec)
{
    QStringList names;
    for (const auto& [name, value] : spec.envOverride)
        names.append(QString::fromUtf8(name));
    return names;
}

QStringList launchVariables(const Environment& desktopEnv)
{
    QStringList names;
    for (const auto& [name, value] : desktopEnv) {
        const bool known = std::any_of(std::begin(kLaunchNames), std::end(kLaunchNames),
                                       [&](const char* one) { return name == one; }) ||
                           std::any_of(std::begin(kLaunchPrefixes), std::end(kLaunchPrefixes),
                                       [&](const char* prefix) { return name.startsWith(prefix); });
        if (known)
            names.append(QString::fromUtf8(name));
    }
    names.sort();
    names.removeDuplicates();
    return names;
}

} // namespace lockstep
