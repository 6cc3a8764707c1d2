// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/pixelimage.h"

#include "trainer/data/mappedfile.h"

#include <algorithm>
#include <string_view>

namespace lockstep::trainer {

namespace {

using namespace std::string_view_literals;

struct Format {
    std::string_view start;
    std::string_view name;
};

constexpr Format kOthers[] = {{"GIF8"sv, "GIF"},
                              {"RIFF"sv, "WebP"},
                              {"BM"sv, "BMP"},
                              {"II*\0"sv, "TIFF"},
                              {"MM\0*"sv, "TIFF"},
                              {"\0\0\0\x0cjP"sv, "JPEG 2000"},
                              {"\xff\x0a"sv, "JPEG XL"},
                              {"<svg"sv, "SVG"},
                              {"<!DOCTYPE"sv, "web page"},
                              {"version https://git-lfs"sv, "Git LFS pointer"}};

} // namespace

PixelImage decodeImage(std::span<const std::uint8_t> bytes, const std::string& path)
{
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.starts_with("\xff\xd8\xff"sv))
        return decodeJpeg(bytes, path);
    if (text.starts_with("\x89PNG\r\n\x1a\n"sv))
        return decodePng(bytes, path);
    for (const Format& other : kOthers) {
        if (text.starts_with(other.start))
            refuseFile(path, "it is a " + std::string(other.name) + ", only JPEG and PNG are read");
    }
    refuseFile(path, "it is neither JPEG nor PNG");
}

PixelImage imageOf(std::int64_t width, std::int64_t height, const std::string& path)
{
    if (width <= 0 || height <= 0)
        refuseFile(path, "it has no pixels");
    if (width > kMostPixels / height)
        refuseFile(path, "it claims " + std::to_string(width) + " × " + std::to_string(height) + " pixels, more than " +
                             std::to_string(kMostPixels));
    return {width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * PixelImage::kChannels))};
}

} // namespace lockstep::trainer
