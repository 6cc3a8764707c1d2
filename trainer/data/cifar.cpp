// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/cifar.h"

#include "trainer/data/mappedfile.h"

#include <filesystem>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kSide = 32;
constexpr std::int64_t kChannels = 3;
constexpr std::size_t kPixels = 3 * 32 * 32;

struct Layout {
    std::string_view subfolder; // of the archive
    std::size_t labels;         // bytes before the pixels; the last one is the label
    std::int64_t classes;
    std::vector<ChannelStatistics> statistics; // of the training images, as published recipes have them
    std::vector<std::string> train;
    std::vector<std::string> test;
};

Layout layoutOf(CifarKind kind)
{
    if (kind == CifarKind::Hundred)
        return {"cifar-100-binary", 2,           100, {{0.5071F, 0.2673F}, {0.4865F, 0.2564F}, {0.4409F, 0.2762F}},
                {"train.bin"},      {"test.bin"}};
    return {"cifar-10-batches-bin",
            1,
            10,
            {{0.4914F, 0.2470F}, {0.4822F, 0.2435F}, {0.4465F, 0.2616F}},
            {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"},
            {"test_batch.bin"}};
}

void append(const MappedFile& file, const Layout& layout, std::vector<std::uint8_t>& pixels,
            std::vector<std::uint8_t>& labels)
{
    const std::size_t record = layout.labels + kPixels;
    std::span<const std::uint8_t> bytes = file.bytes();
    if (bytes.size() % record != 0)
        refuseFile(file.path(), "its " + std::to_string(bytes.size()) + " bytes are no multiple of " +
                                    std::to_string(record) + ", a record of this data set");
    pixels.reserve(pixels.size() + bytes.size() / record * kPixels);
    for (; !bytes.empty(); bytes = bytes.subspan(record)) {
        const std::uint8_t label = bytes[layout.labels - 1];
        if (label >= layout.classes)
            refuseFile(file.path(), "image " + std::to_string((file.bytes().size() - bytes.size()) / record) +
                                        " has the label " + std::to_string(label) + " of " +
                                        std::to_string(layout.classes) + " classes");
        labels.push_back(label);
        const auto image = bytes.subspan(layout.labels, kPixels);
        pixels.insert(pixels.end(), image.begin(), image.end());
    }
}

} // namespace

std::unique_ptr<ImageMemory> readCifar(const std::string& folder, CifarKind kind, CifarPart part)
{
    const Layout layout = layoutOf(kind);
    const std::vector<std::string>& names = part == CifarPart::Train ? layout.train : layout.test;
    std::error_code error;
    std::filesystem::path place = folder;
    if (!std::filesystem::exists(place / names[0], error) && std::filesystem::exists(place / layout.subfolder, error))
        place /= layout.subfolder;
    std::vector<std::uint8_t> pixels;
    std::vector<std::uint8_t> labels;
    for (const std::string& name : names)
        append(MappedFile(place / name), layout, pixels, labels);
    const auto count = static_cast<std::int64_t>(labels.size());
    auto images = std::make_unique<ImageMemory>(std::array{count, kChannels, kSide, kSide}, std::move(pixels),
                                                std::move(labels), layout.classes);
    images->normalise(layout.statistics);
    return images;
}

} // namespace lockstep::trainer
