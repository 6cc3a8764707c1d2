// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/failure.h"
#include "trainer/models/makemodel.h"
#include "trainer/models/prepare.h"
#include "trainer/parallel/dataparallel.h"
#include "trainer/parallel/ddp.h"
#include "trainer/parallel/fsdp.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kCpuDevices = 2; // of dp, where no number is given: threads

DdpOptions ddpOptions(const Options& options)
{
    return {options.bucketMib,
            options.firstBucketMib,
            options.bucketViews == Switch::Yes,
            options.findUnused == Switch::Yes,
            options.staticGraph == Switch::Yes,
            options.broadcastBuffers == Switch::Yes,
            options.compression};
}

FsdpOptions fsdpOptions(const Options& options)
{
    return {options.fsdpUnits,
            options.fsdpUnitMib,
            options.fsdpReshard == Switch::Yes,
            options.fsdpPrefetch == Switch::Yes,
            options.fsdpBf16 == Switch::Yes ? at::kBFloat16 : at::kFloat,
            options.fsdpAccumulate,
            options.findUnused == Switch::Yes,
            options.broadcastBuffers == Switch::Yes};
}

void checkWorld(const Options& options, int world)
{
    const bool alone = options.strategy == StrategyKind::Dp || options.strategy == StrategyKind::Single;
    if (alone && world > 1)
        throw Failure(ExitCode::Options,
                      "--strategy " + valueOf(options, "strategy") + " is one process, but WORLD_SIZE is " +
                          std::to_string(world) +
                          ": start one, or share the work among the ranks by --strategy ddp or fsdp");
}

std::vector<DataParallel::Replica> makeReplicas(const Options& options, const SampleShape& shape, ProcessGroup& group,
                                                at::Device first)
{
    std::int64_t devices = options.dpDevices > 0 ? options.dpDevices : kCpuDevices;
    if (!first.is_cpu()) {
        const std::int64_t visible = c10::impl::VirtualGuardImpl(first.type()).deviceCount();
        devices = options.dpDevices > 0 ? options.dpDevices : visible;
        if (devices > visible)
            throw Failure(ExitCode::Device, "--dp-devices " + std::to_string(devices) + ", but only " +
                                                std::to_string(visible) + " GPUs are visible");
    }
    Options own = options;
    own.weights.clear(); // each step brings the values
    own.exportWeights.clear();
    std::vector<DataParallel::Replica> replicas;
    for (std::int64_t i = 1; i < devices; ++i) {
        Device device;
        if (!first.is_cpu())
            device.tensors = at::Device(first.type(), static_cast<at::DeviceIndex>(i));
        replicas.push_back({makeModel(own, shape), device.tensors});
        prepareModel(*replicas.back().model, own, group, device);
    }
    return replicas;
}

} // namespace

std::unique_ptr<Strategy> makeStrategy(const Options& options, const SampleShape& shape, ProcessGroup& group,
                                       const Objective& objective, StepClock& clock)
{
    checkWorld(options, group.world());
    if (std::ranges::none_of(objective.model().parameters(), [](const at::Tensor& one) { return one.requires_grad(); }))
        throw Failure(ExitCode::Options, "the model has no parameter that needs a gradient: there is nothing to train");
    switch (options.strategy) {
    case StrategyKind::Ddp:
        if (group.world() == 1 && options.compression == Compression::None) // the same bits without buckets
            return std::make_unique<Single>(objective, clock);
        return std::make_unique<Ddp>(group, objective, ddpOptions(options), clock);
    case StrategyKind::Fsdp:
        return std::make_unique<Fsdp>(group, objective, fsdpOptions(options), clock);
    case StrategyKind::Dp:
        return std::make_unique<DataParallel>(objective, clock,
                                              makeReplicas(options, shape, group, objective.device()));
    case StrategyKind::Single:
        return std::make_unique<Single>(objective, clock);
    }
    throw Failure(ExitCode::Options, "unknown strategy");
}

} // namespace lockstep::trainer
