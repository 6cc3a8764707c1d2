// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/sampleorder.h"

#include "trainer/contenthash.h"

#include <algorithm>
#include <vector>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kLookedAt = 16; // samples; reading an image may take 20 ms

std::string hashOfTargets(const Dataset& data)
{
    const SampleShape& shape = data.shape();
    const std::int64_t count = std::min(kLookedAt, data.count());
    std::vector<std::int64_t> indices;
    indices.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
        indices.push_back(i * (data.count() / count));
    std::vector<float> images(shape.kind == SampleKind::Image ? static_cast<std::size_t>(shape.inputs()) : 0);
    std::vector<std::int64_t> tokens(shape.kind == SampleKind::Tokens ? static_cast<std::size_t>(shape.inputs()) : 0);
    std::vector<std::int64_t> targets(static_cast<std::size_t>(shape.targets()));
    ContentHash hash;
    for (const std::int64_t& index : indices) {
        data.read({&index, 1}, {},
                  {images.empty() ? nullptr : images.data(), tokens.empty() ? nullptr : tokens.data(), targets.data()});
        hash.add(targets.data(), targets.size() * sizeof targets.front());
    }
    return hash.hex();
}

} // namespace

Statement sampleOrder(const Options& options, const Dataset& data)
{
    const SampleShape& shape = data.shape();
    std::string sizes;
    for (const std::int64_t size : {shape.channels, shape.height, shape.width, shape.context, shape.classes})
        sizes += (sizes.empty() ? "" : " ") + std::to_string(size);
    return {{"--data", valueOf(options, "data")},
            {"--shuffle", valueOf(options, "shuffle")},
            {"the number of training samples", std::to_string(data.count())},
            {"a sample (channels, height, width, context, classes)", sizes},
            {"the hash of some samples' targets", hashOfTargets(data)}};
}

std::string changeOfOrder(const Statement& before, const Statement& now)
{
    for (const auto& [name, value] : now) {
        const auto was = std::ranges::find(before, name, &Statement::value_type::first);
        if (was != before.end() && was->second != value)
            return name + " is " + value + ", but was " + was->second;
    }
    return {};
}

} // namespace lockstep::trainer
