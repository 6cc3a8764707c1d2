// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/imagefolder.h"

#include "trainer/data/augment.h"
#include "trainer/data/mappedfile.h"
#include "trainer/data/resize.h"
#include "trainer/failure.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace lockstep::trainer {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSide = 224;
// ImageNet's, as torchvision's models are trained with (docs, "Models and pre-trained weights"); grey: their mean.
const std::vector<ChannelStatistics> kImageNet{{0.485F, 0.229F}, {0.456F, 0.224F}, {0.406F, 0.225F}};
const std::vector<ChannelStatistics> kImageNetGrey{{0.449F, 0.226F}};

bool isImage(const fs::path& path)
{
    std::string suffix = path.extension().string();
    std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return suffix == ".jpg" || suffix == ".jpeg" || suffix == ".png";
}

std::vector<std::string> foldersIn(const std::string& folder)
{
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.is_directory() && !entry.path().filename().string().starts_with('.'))
            names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

// Interleaved bytes to planes of floats. Grey as ITU-R 601 has it, in Pillow's integers.
void spread(const PixelImage& image, const SampleShape& shape, const ByteScale& scale, float* into)
{
    const std::int64_t plane = shape.height * shape.width;
    const std::uint8_t* from = image.pixels.data();
    for (std::int64_t i = 0; i < plane; ++i, from += PixelImage::kChannels) {
        if (shape.channels == 1) {
            const int grey = (from[0] * 19595 + from[1] * 38470 + from[2] * 7471 + 0x8000) >> 16;
            into[i] = scale.of(0)[static_cast<std::size_t>(grey)];
            continue;
        }
        for (std::int64_t channel = 0; channel < PixelImage::kChannels; ++channel)
            into[channel * plane + i] = scale.of(channel)[from[channel]];
    }
}

} // namespace

ImageFolder::ImageFolder(std::string folder, std::vector<std::string> classes, const SampleShape& shape,
                         Augment augment)
    : m_folder(std::move(folder)), m_classes(std::move(classes)), m_shape(shape), m_augment(augment),
      m_scale(shape.channels == 1 ? kImageNetGrey : kImageNet)
{
    try {
        const std::vector<std::string> own = foldersIn(m_folder);
        if (own.empty())
            refuseFile(m_folder, "it holds no folder: one for each class is needed");
        if (m_classes.empty())
            m_classes = own;
        for (const std::string& name : own) {
            const auto found = std::ranges::lower_bound(m_classes, name);
            if (found == m_classes.end() || *found != name)
                refuseFile(m_folder + "/" + name, "the training part has no such class");
            list(name, static_cast<std::int32_t>(found - m_classes.begin()));
        }
    } catch (const fs::filesystem_error& error) {
        refuseFile(m_folder, error.code().message());
    }
    m_shape.classes = static_cast<std::int64_t>(m_classes.size());
}

void ImageFolder::list(const std::string& name, std::int32_t label)
{
    const auto first = static_cast<std::ptrdiff_t>(m_files.size());
    const fs::path folder = m_folder;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder / name)) {
        if (isImage(entry.path()) && entry.is_regular_file())
            m_files.push_back({entry.path().lexically_relative(folder).string(), label});
    }
    if (first == static_cast<std::ptrdiff_t>(m_files.size()))
        refuseFile(m_folder + "/" + name, "it holds no .jpg, .jpeg or .png");
    std::ranges::sort(m_files.begin() + first, m_files.end(), {}, &File::name);
}

void ImageFolder::read(std::span<const std::int64_t> indices, const Draw& draw, const BatchMemory& memory) const
{
    float* into = memory.images;
    std::int64_t* labels = memory.targets;
    for (const std::int64_t index : indices) {
        const File& file = m_files[static_cast<std::size_t>(index)];
        const MappedFile mapped(m_folder + "/" + file.name);
        const PixelImage image = decodeImage(mapped.bytes(), mapped.path());
        const Crop crop = cropFor(m_augment, draw, index, image.width, image.height);
        spread(resized(image, crop, m_shape.width, m_shape.height), m_shape, m_scale, into);
        into += m_shape.inputs();
        *labels++ = file.label;
    }
}

DataSplit imageFolderData(const Options& options)
{
    const std::int64_t side = options.imageSize > 0 ? options.imageSize : kSide;
    const std::int64_t channels = options.channels > 0 ? options.channels : PixelImage::kChannels;
    if (channels != 1 && channels != PixelImage::kChannels)
        throw Failure(ExitCode::Options, "--channels " + std::to_string(channels) +
                                             ": images of a folder have 3 (colour, the default) or 1 (grey)");
    const SampleShape shape{.channels = channels, .height = side, .width = side};
    const std::string& folder = options.dataPath;
    std::error_code error;
    if (!fs::is_directory(folder + "/train", error))
        throw Failure(ExitCode::Data, "there is no folder " + folder +
                                          "/train: images are expected as train/CLASS/FILE, and val/CLASS/FILE or "
                                          "test/CLASS/FILE to test on");
    auto train = std::make_unique<ImageFolder>(folder + "/train", std::vector<std::string>{}, shape, options.augment);
    DataSplit split;
    for (const char* name : {"/val", "/test"}) {
        if (!split.test && fs::is_directory(folder + name, error))
            split.test = std::make_unique<ImageFolder>(folder + name, train->classes(), shape, Augment::None);
    }
    split.train = std::move(train);
    return split;
}

} // namespace lockstep::trainer
