// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/makemodel.h"

#include "trainer/failure.h"
#include "trainer/models/cnn.h"
#include "trainer/models/mlp.h"

namespace lockstep::trainer {

namespace {

ModelOptions modelOptions(const Options& options)
{
    return {options.width,   options.depth,     options.heads,    options.patch,
            options.dropout, options.positions, options.attention};
}

} // namespace

std::shared_ptr<Model> makeModel(const Options& options, const SampleShape& shape)
{
    const ModelOptions own = modelOptions(options);
    switch (options.model) {
    case ModelKind::Mlp:
        return makeMlp(own, shape);
    case ModelKind::Cnn:
        return makeCnn(own, shape);
    case ModelKind::Resnet18:
    case ModelKind::Resnet50:
    case ModelKind::Vit:
    case ModelKind::Gpt:
    case ModelKind::Library:
    case ModelKind::TorchScript:
        break;
    }
    throw Failure(ExitCode::Options, "unknown model");
}

} // namespace lockstep::trainer
