// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/synthetic.h"

#include "trainer/data/samplerandom.h"

#include <algorithm>
#include <random>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kSide = 28;
constexpr std::int64_t kClasses = 10;
constexpr std::int64_t kVocabulary = 256;
constexpr std::int64_t kTestShare = 5; // one test sample for so many training samples

constexpr std::int64_t kNoiseOffsets = 1 << 16; // different stretches of noise
constexpr std::uint64_t kNoise = 100;           // bytes below this
constexpr std::uint8_t kBright = 120;           // added where the bar is
constexpr std::int64_t kBarShare = 14;          // of a side is its width
// Of a byte / 255 in these images: noise of mean 49.5, and one pixel in fourteen brighter.
constexpr ChannelStatistics kStatistics{0.228F, 0.166F};

constexpr std::int64_t kSureOutOf = 8;

std::int64_t nextToken(std::int64_t token, std::int64_t vocabulary)
{
    return (5 * token + 7) % vocabulary;
}

std::int64_t orElse(std::int64_t value, std::int64_t other)
{
    return value > 0 ? value : other;
}

} // namespace

SyntheticImages::SyntheticImages(std::int64_t count, const SampleShape& shape, std::uint64_t seed)
    : m_count(count), m_shape(shape), m_seed(seed), m_noise(static_cast<std::size_t>(shape.inputs() + kNoiseOffsets)),
      m_scale({kStatistics})
{
    std::mt19937_64 random(seed);
    std::ranges::generate(m_noise, [&random] { return static_cast<std::uint8_t>(random() % kNoise); });
}

void SyntheticImages::read(std::span<const std::int64_t> indices, const Draw&, const BatchMemory& memory) const
{
    const std::array<float, 256>& values = m_scale.of(0);
    float* into = memory.images;
    std::int64_t* labels = memory.targets;
    for (const std::int64_t index : indices) {
        SampleRandom random({m_seed, 0}, index);
        const std::int64_t label = random.below(m_shape.classes);
        const std::uint8_t* noise = m_noise.data() + random.below(kNoiseOffsets);
        float* end = std::transform(noise, noise + m_shape.inputs(), into, [&](std::uint8_t n) { return values[n]; });
        drawBar(label, static_cast<std::int64_t>(random.next() >> 40), noise, into);
        *labels++ = label;
        into = end;
    }
}

void SyntheticImages::drawBar(std::int64_t label, std::int64_t wiggle, const std::uint8_t* noise, float* into) const
{
    const std::array<float, 256>& values = m_scale.of(0);
    const bool lies = label % 2 == 0;
    const std::int64_t side = lies ? m_shape.height : m_shape.width;
    const std::int64_t thickness = std::max<std::int64_t>(1, side / kBarShare);
    const std::int64_t places = std::min((m_shape.classes + 1) / 2, std::max<std::int64_t>(1, side / (2 * thickness)));
    const std::int64_t between = side / places;
    const std::int64_t first = label / 2 % places * between + wiggle % std::max<std::int64_t>(1, between - thickness);
    for (std::int64_t channel = 0; channel < m_shape.channels; ++channel) {
        for (std::int64_t y = 0; y < m_shape.height; ++y) {
            const std::int64_t row = (channel * m_shape.height + y) * m_shape.width;
            const bool inside = y >= first && y < first + thickness;
            const std::int64_t left = lies ? 0 : first;
            const std::int64_t right = lies ? (inside ? m_shape.width : 0) : std::min(m_shape.width, first + thickness);
            for (std::int64_t x = left; x < right; ++x)
                into[row + x] = values[static_cast<std::size_t>(noise[row + x] + kBright)];
        }
    }
}

SyntheticTokens::SyntheticTokens(std::int64_t count, const SampleShape& shape, std::uint64_t seed)
    : m_count(count), m_shape(shape), m_seed(seed)
{
}

void SyntheticTokens::read(std::span<const std::int64_t> indices, const Draw&, const BatchMemory& memory) const
{
    std::int64_t* tokens = memory.tokens;
    std::int64_t* targets = memory.targets;
    for (const std::int64_t index : indices) {
        SampleRandom random({m_seed, 0}, index);
        std::int64_t token = random.below(m_shape.classes);
        for (std::int64_t i = 0; i < m_shape.context; ++i) {
            *tokens++ = token;
            const bool sure = random.below(kSureOutOf) > 0;
            token = sure ? nextToken(token, m_shape.classes) : random.below(m_shape.classes);
            *targets++ = token;
        }
    }
}

DataSplit syntheticData(const Options& options)
{
    const auto seed = static_cast<std::uint64_t>(options.seed);
    const std::int64_t tests = std::max<std::int64_t>(1, options.syntheticSamples / kTestShare);
    if (options.model == ModelKind::Gpt) {
        const SampleShape shape{
            .kind = SampleKind::Tokens, .context = options.context, .classes = orElse(options.vocabulary, kVocabulary)};
        return {std::make_unique<SyntheticTokens>(options.syntheticSamples, shape, 2 * seed + 1),
                std::make_unique<SyntheticTokens>(tests, shape, 2 * seed + 2)};
    }
    const std::int64_t side = orElse(options.imageSize, kSide);
    const SampleShape shape{.channels = orElse(options.channels, 1),
                            .height = side,
                            .width = side,
                            .classes = orElse(options.classes, kClasses)};
    return {std::make_unique<SyntheticImages>(options.syntheticSamples, shape, 2 * seed + 1),
            std::make_unique<SyntheticImages>(tests, shape, 2 * seed + 2)};
}

} // namespace lockstep::trainer
