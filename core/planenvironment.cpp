// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planenvironment.h"

#include "core/wire/runtag.h"

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
    "LOCKSTEP_RANKS_PER_DEVICE",
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
    wire::kRunVariable,
    wire::kAttemptVariable,
};

// What a login sets: the node has its own, and the desktop's would be wrong there.
constexpr const char* kLoginNames[] = {
    "HOME", "USER",    "LOGNAME",         "PATH", "SHELL",          "PWD",    "OLDPWD", "SHLVL",     "TERM",     "PS1",
    "PS2",  "DISPLAY", "WAYLAND_DISPLAY", "MAIL", "PROMPT_COMMAND", "TMPDIR", "_",      "LS_COLORS", "HOSTNAME",
};
constexpr const char* kLoginPrefixes[] = {"SSH_", "BASH_", "XDG_", "DBUS_", "LD_", "SUDO_"};

template <std::size_t N, std::size_t M>
bool isAmong(const QByteArray& name, const char* const (&names)[N], const char* const (&prefixes)[M])
{
    return std::any_of(std::begin(names), std::end(names), [&](const char* one) { return name == one; }) ||
           std::any_of(std::begin(prefixes), std::end(prefixes),
                       [&](const char* prefix) { return name.startsWith(prefix); });
}

bool matches(const QByteArray& name, const QByteArray& pattern) // HF_* or a whole name
{
    return pattern.endsWith('*') ? name.startsWith(pattern.chopped(1)) : name == pattern;
}

// The agent tags ranks with these to find them again: not even an override may touch them.
bool isTag(const QByteArray& name)
{
    return name == wire::kRunVariable || name == wire::kRunFolderVariable || name == wire::kAttemptVariable;
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

void checkEnvironments(QList<Problem>& problems, const Environment& env, const Environment& over, const QString& prefix)
{
    for (const auto& [name, value] : env) {
        checkEntry(problems, name, value, prefix + QStringLiteral("env"));
        if (isOwnVariable(name))
            problems.append({Severity::Error,
                             {},
                             QStringLiteral("%1 is set by Lockstep").arg(shown(name)),
                             QStringLiteral("The plan gives it a value for each rank. If yours is meant, write it in "
                                            "[%1env_override] instead of [%1env]; the plan then shows it.")
                                 .arg(prefix)});
    }
    for (const auto& [name, value] : over)
        checkEntry(problems, name, value, prefix + QStringLiteral("env_override"));
}

void setAll(Environment& environment, const Environment& from, const Environment& over)
{
    for (const auto& [name, value] : from) {
        if (!isOwnVariable(name))
            setValue(environment, name, value);
    }
    for (const auto& [name, value] : over)
        setValue(environment, name, value);
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
    if (place.ranksPerDevice > 1)                   // the trainer's device is then its local rank divided by this
        setValue(env, "LOCKSTEP_RANKS_PER_DEVICE", number(place.ranksPerDevice));
    setValue(env, "OMP_NUM_THREADS", number(place.threads));
    setValue(env, "GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"); // known-traps.md: 1.07 to 1.17 times on CPU
    setValue(env, "PYTHONUNBUFFERED", "1");
    setValue(env, "TORCH_NCCL_ASYNC_ERROR_HANDLING", "1");
    return env;
}

QList<Problem> checkEnvironment(const RunSpec& spec)
{
    QList<Problem> problems;
    checkEnvironments(problems, spec.env, spec.envOverride, {});
    for (const NodeSettings& one : spec.nodeSettings)
        checkEnvironments(problems, one.env, one.envOverride, QStringLiteral("node.%1.").arg(one.node));
    for (const TrainerOption& option : spec.trainer)
        checkArgument(problems, option.value, QStringLiteral("The option %1").arg(option.name));
    for (qsizetype i = 0; i < spec.arguments.size(); ++i)
        checkArgument(problems, spec.arguments[i],
                      QStringLiteral("Argument %1 (\"%2\")").arg(i + 1).arg(shown(spec.arguments[i].left(20))));
    return problems;
}

Environment withNode(Environment own, const Node& node)
{
    for (const auto& [name, value] : node.env) {
        if (!isOwnVariable(name))
            setValue(own, name, value);
    }
    return own;
}

Environment withSpec(Environment own, const RunSpec& spec, const QString& node)
{
    setAll(own, spec.env, spec.envOverride);
    if (const NodeSettings* settings = spec.settingsOf(node))
        setAll(own, settings->env, settings->envOverride);
    return own;
}

QStringList overriddenNames(const RunSpec& spec)
{
    QStringList names;
    const auto add = [&names](const Environment& environment) {
        for (const auto& [name, value] : environment)
            if (const QString text = QString::fromUtf8(name); !names.contains(text))
                names.append(text);
    };
    add(spec.envOverride);
    for (const NodeSettings& one : spec.nodeSettings)
        add(one.envOverride);
    return names;
}

PassedEnvironment passedEnvironment(const RunSpec& spec, const Environment& desktopEnv)
{
    PassedEnvironment passed;
    for (const QString& text : spec.passEnv) {
        const QByteArray pattern = text.toUtf8();
        if (pattern.isEmpty() || pattern == "*" || pattern.chopped(1).contains('*') || pattern.contains('=')) {
            passed.problems.append({Severity::Error,
                                    {},
                                    QStringLiteral("\"%1\" in pass_env can't be meant").arg(text),
                                    QStringLiteral("Write names of variables, or their beginning: HF_*.")});
            continue;
        }
        bool found = false;
        for (const auto& [name, value] : desktopEnv) {
            if (!matches(name, pattern))
                continue;
            found = true;
            const bool steers = isOwnVariable(name) || isAmong(name, kLaunchNames, kLaunchPrefixes);
            if (!steers && !isAmong(name, kLoginNames, kLoginPrefixes))
                setValue(passed.variables, name, value);
            else if (!pattern.endsWith('*')) // a pattern just leaves it out
                passed.problems.append(
                    {Severity::Error,
                     {},
                     QStringLiteral("%1 is never copied from the desktop").arg(shown(name)),
                     steers ? QStringLiteral("It steers a launch, and the plan gives its own. If a value is meant, "
                                             "write it in [env] or [env_override].")
                            : QStringLiteral("The node's login has its own. If a value is meant, write it in [env].")});
        }
        if (!found && !desktopEnv.isEmpty())
            passed.problems.append({Severity::Warning,
                                    {},
                                    QStringLiteral("No variable %1 is set here").arg(text),
                                    QStringLiteral("pass_env names it, so the ranks go without it.")});
    }
    return passed;
}

QStringList launchVariables(const Environment& desktopEnv)
{
    QStringList names;
    for (const auto& [name, value] : desktopEnv) {
        const bool known = isAmong(name, kLaunchNames, kLaunchPrefixes);
        if (known)
            names.append(QString::fromUtf8(name));
    }
    names.sort();
    names.removeDuplicates();
    return names;
}

} // namespace lockstep
