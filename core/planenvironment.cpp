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
    "LOCKSTEP_RANKS_PER_DEVICE",
    "GLIBC_TUNABLES",
    "PYTHONUNBUFFERED",
    "TORCH_NCCL_ASYNC_ERROR_HANDLING",
};

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

} // namespace lockstep
