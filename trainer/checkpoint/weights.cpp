// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/weights.h"

#include "trainer/checkpoint/asidefile.h"
#include "trainer/checkpoint/modelstate.h"
#include "trainer/checkpoint/rankzero.h"
#include "trainer/checkpoint/safetensorsheader.h"
#include "trainer/checkpoint/savedmodel.h"
#include "trainer/checkpoint/tensortypes.h"
#include "trainer/data/mappedfile.h"
#include "trainer/failure.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>

namespace lockstep::trainer {

namespace {

constexpr std::string_view kZipBegins = "PK";

bool isZip(const MappedFile& file)
{
    return std::ranges::equal(file.bytes().first(std::min(file.bytes().size(), kZipBegins.size())), kZipBegins);
}

NamedTensors safetensorsIn(const MappedFile& file, const std::string& path)
{
    NamedTensors found;
    const auto all = std::as_bytes(file.bytes());
    for (const SafetensorsEntry& entry : readSafetensorsHeader(all, path)) {
        const TensorType* type = typeOfSafetensors(entry.type);
        if (type == nullptr)
            throw Failure(ExitCode::Checkpoint, "cannot read " + path + ": " + entry.name + " has the type " +
                                                    entry.type + ", which no model here has");
        const auto bytes = all.subspan(entry.begin, entry.end - entry.begin);
        found.emplace_back(entry.name, viewOf(bytes, type->type).view(entry.shape));
    }
    return found;
}

void copyInto(const std::vector<ModelTensor>& places, const std::vector<at::Tensor>& sources)
{
    for (std::size_t i = 0; i < places.size(); ++i)
        places[i].tensor.detach().copy_(sources[i]);
}

void readWeights(const std::string& path, Model& model)
{
    const std::vector<ModelTensor> places = modelState(model);
    const MappedFile file(path, ExitCode::Checkpoint);
    if (isZip(file)) {
        const TensorArchiveReader archive(path);
        copyInto(places, matched(places, savedModel(archive), path));
    } else {
        copyInto(places, matched(places, safetensorsIn(file, path), path));
    }
}

// Parameters as the optimiser steps them: under FSDP the model's own may be in another precision.
std::vector<SafetensorsEntry> entriesOf(const std::vector<ModelTensor>& places, const Strategy& strategy)
{
    std::vector<SafetensorsEntry> entries;
    for (const ModelTensor& place : places) {
        const auto& type = typeOf(place.trained ? strategy.parameters().front() : place.tensor);
        entries.push_back({place.name, std::string(type.safetensors), place.tensor.sizes().vec(), 0, 0});
    }
    return entries;
}

} // namespace

void loadWeights(const std::string& path, Model& model, ProcessGroup& group)
{
    const at::NoGradGuard noGrad;
    RankZero zero(group);
    zero.attempt([&] { readWeights(path, model); });
    zero.agree();
}

void checkExport(const std::string& path, ProcessGroup& group)
{
    RankZero zero(group);
    zero.attempt([&] { const AsideFile probe(path); });
    zero.agree();
}

void exportWeights(const std::string& path, Model& model, Strategy& strategy, ProcessGroup& group)
{
    const at::NoGradGuard noGrad;
    std::vector<ModelTensor> places = modelState(model);
    std::erase_if(places, [](const ModelTensor& place) { return place.sameAs.has_value(); }); // no byte is two tensors'
    std::vector<SafetensorsEntry> entries = entriesOf(places, strategy);
    RankZero zero(group);
    std::optional<AsideFile> file;
    const auto put = [&](const SafetensorsEntry& entry, const at::Tensor& tensor) {
        const TensorType* type = typeOfSafetensors(entry.type);
        const at::Tensor plain = onCpu(tensor.to(type->type));
        file->writeAt(entry.begin, bytesOf(plain));
    };
    std::vector<std::size_t> entryOf(trainedCount(places));
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].trained)
            entryOf[*places[i].trained] = i;
    }
    zero.attempt([&] {
        file.emplace(path);
        const std::string header = makeSafetensorsHeader(entries);
        file->append(std::as_bytes(std::span(header)));
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (!places[i].trained)
                put(entries[i], places[i].tensor);
        }
    });
    strategy.gather(strategy.parameters(), [&](std::size_t parameter, const at::Tensor& whole) {
        zero.attempt([&] { put(entries[entryOf.at(parameter)], whole); });
        zero.keepPace(whole.nbytes());
    });
    zero.attempt([&] { file->commit(); });
    file.reset(); // without a commit it leaves nothing, and agree() may end the process
    zero.agree();
}

} // namespace lockstep::trainer
