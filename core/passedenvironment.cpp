// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passedenvironment.h"

#include "core/environmentcheck.h"
#include "core/planenvironment.h"
#include "core/wire/runtag.h"

#include <algorithm>

namespace lockstep {
namespace {

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
    "FLUX_",
    "PALS_",
    "ALPS_",
    "OAR_",
    "COBALT_",
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

} // namespace

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
                     QStringLiteral("%1 is never copied from the desktop").arg(shownVariable(name)),
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
