// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/failure.h"
#include "trainer/parallel/ddp.h"

namespace lockstep::trainer {

namespace {

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

} // namespace

std::unique_ptr<Strategy> makeStrategy(const Options& options, ProcessGroup& group, const Objective& objective,
                                       StepClock& clock)
{
    switch (options.strategy) {
    case StrategyKind::Ddp:
        return std::make_unique<Ddp>(group, objective, ddpOptions(options), clock);
    case StrategyKind::Fsdp:
    case StrategyKind::Dp:
    case StrategyKind::Single:
        break;
    }
    throw Failure(ExitCode::Options, "unknown strategy");
}

} // namespace lockstep::trainer
