// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/makemodel.h"

#include "trainer/failure.h"
#include "trainer/models/cnn.h"
#include "trainer/models/gpt.h"
#include "trainer/models/mlp.h"
#include "trainer/models/modellibrary.h"
#include "trainer/models/resnet.h"
#include "trainer/models/scriptmodel.h"
#include "trainer/models/vit.h"

#include <algorithm>
#include <vector>

namespace lockstep::trainer {

namespace {

ModelOptions modelOptions(const Options& options)
{
    return {options.width,   options.depth,     options.heads,    options.patch,
            options.dropout, options.positions, options.attention};
}

// The options among those of ModelOptions that were given another value than their default.
std::vector<std::string> given(const ModelOptions& own)
{
    const ModelOptions none;
    std::vector<std::string> names;
    const auto note = [&names](const char* name, const auto& value, const auto& standard) {
        if (value != standard)
            names.emplace_back(name);
    };
    note("width", own.width, none.width);
    note("depth", own.depth, none.depth);
    note("heads", own.heads, none.heads);
    note("patch", own.patch, none.patch);
    note("dropout", own.dropout, none.dropout);
    note("positions", own.positions, none.positions);
    note("attention", own.attention, none.attention);
    return names;
}

using Names = std::vector<std::string>;

struct BuiltIn {
    SampleKind data;
    Names options; // those that shape it
    std::shared_ptr<Model> (*make)(const ModelOptions& options, const SampleShape& shape);
};

const BuiltIn* builtIn(ModelKind kind)
{
    static const BuiltIn mlp{SampleKind::Image, {"width", "depth", "dropout"}, makeMlp};
    static const BuiltIn cnn{SampleKind::Image, {"width", "depth", "dropout"}, makeCnn};
    static const BuiltIn resnet18{SampleKind::Image, {"width", "depth"}, makeResnet18};
    static const BuiltIn resnet50{SampleKind::Image, {"width", "depth"}, makeResnet50};
    static const BuiltIn vit{SampleKind::Image, {"width", "depth", "heads", "patch", "dropout", "attention"}, makeVit};
    static const BuiltIn gpt{
        SampleKind::Tokens, {"width", "depth", "heads", "dropout", "positions", "attention"}, makeGpt};
    switch (kind) {
    case ModelKind::Mlp:
        return &mlp;
    case ModelKind::Cnn:
        return &cnn;
    case ModelKind::Resnet18:
        return &resnet18;
    case ModelKind::Resnet50:
        return &resnet50;
    case ModelKind::Vit:
        return &vit;
    case ModelKind::Gpt:
        return &gpt;
    case ModelKind::Library:
    case ModelKind::TorchScript:
        break;
    }
    return nullptr;
}

void refuseForeignOptions(const std::string& model, const BuiltIn& kind, const ModelOptions& own)
{
    for (const std::string& name : given(own)) {
        if (std::ranges::find(kind.options, name) != kind.options.end())
            continue;
        std::string known;
        for (const std::string& option : kind.options)
            known += (known.empty() ? "--" : ", --") + option;
        throw Failure(ExitCode::Options, "--" + name + " means nothing to --model " + model + ", which has " + known);
    }
}

void refuseForeignData(const std::string& model, const BuiltIn& kind, const Options& options, const SampleShape& shape)
{
    if (kind.data == shape.kind)
        return;
    const bool images = kind.data == SampleKind::Image;
    throw Failure(ExitCode::Options, "--model " + model + " takes " + (images ? "images" : "tokens") + ", and --data " +
                                         valueOf(options, "data") + " gives " + (images ? "tokens" : "images") +
                                         (images ? "; --model gpt takes tokens" : "; --data text or tokens fits it"));
}

std::shared_ptr<Model> foreignModel(const Options& options, const ModelOptions& own, const SampleShape& shape)
{
    const std::string name = valueOf(options, "model");
    if (options.modelFile.empty())
        throw Failure(ExitCode::Options, "--model " + name + " needs --model-file");
    if (options.model == ModelKind::Library)
        return makeLibraryModel(options.modelFile, own, shape);
    if (const std::vector<std::string> names = given(own); !names.empty())
        throw Failure(ExitCode::Options, "--" + names.front() + " means nothing to --model " + name +
                                             ": the scripted module is as it was made");
    return makeScriptModel(options.modelFile, options.strategy == StrategyKind::Dp ? OwnLoss::Refused : OwnLoss::Taken);
}

} // namespace

std::shared_ptr<Model> makeModel(const Options& options, const SampleShape& shape)
{
    const std::string name = valueOf(options, "model");
    const ModelOptions own = modelOptions(options);
    const BuiltIn* kind = builtIn(options.model);
    if (kind == nullptr)
        return foreignModel(options, own, shape);
    if (!options.modelFile.empty())
        throw Failure(ExitCode::Options, "--model-file is for --model library and torchscript, not for " + name);
    refuseForeignData(name, *kind, options, shape);
    refuseForeignOptions(name, *kind, own);
    return kind->make(own, shape);
}

} // namespace lockstep::trainer
