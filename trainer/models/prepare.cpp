// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/prepare.h"

#include "trainer/checkpoint/weights.h"
#include "trainer/failure.h"
#include "trainer/models/checkpointedrunner.h"
#include "trainer/models/syncbatchnorm.h"

#include <algorithm>

namespace lockstep::trainer {

namespace {

BatchNormPeers peersOf(ProcessGroup& group)
{
    return {group.world(), [&group](const at::Tensor& tensor) { return group.allGather(tensor); },
            [&group](at::Tensor& tensor) { group.sum(tensor); }};
}

void makeChannelsLast(Model& model)
{
    bool any = false;
    for (at::Tensor& parameter : model.parameters()) {
        if (parameter.dim() != 4)
            continue;
        any = true;
        parameter.set_data(parameter.detach().contiguous(at::MemoryFormat::ChannelsLast));
    }
    if (!any)
        throw Failure(ExitCode::Options, "--channels-last yes: this model has no convolution over images");
}

void checkpointActivations(Model& model)
{
    const auto modules = model.modules(/*include_self=*/false);
    if (std::ranges::none_of(modules, [](const auto& module) { return module->template as<Block>() != nullptr; }))
        throw Failure(ExitCode::Options,
                      "--activation-checkpointing yes computes blocks again, and this model has none; resnet18, "
                      "resnet50, vit and gpt do, and a library's with a Block (trainer/models/block.h)");
    model.setBlockRunner(std::make_shared<CheckpointedRunner>());
}

} // namespace

void prepareModel(Model& model, const Options& options, ProcessGroup& group, const Device& device)
{
    if (!options.exportWeights.empty())
        checkExport(options.exportWeights, group);
    if (!options.weights.empty())
        loadWeights(options.weights, model, group);
    if (options.syncBatchNorm == Switch::Yes)
        convertSyncBatchNorm(model, peersOf(group));
    if (options.channelsLast == Switch::Yes)
        makeChannelsLast(model);
    model.to(device.tensors);
    if (options.activationCheckpointing == Switch::Yes)
        checkpointActivations(model);
}

} // namespace lockstep::trainer
