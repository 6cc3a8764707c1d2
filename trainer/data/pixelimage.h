// SPDX-License-Identifier: GPL-3.0-or-later
// A picture as it comes out of a file: red, green, blue, a byte each, row by row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lockstep::trainer {

struct PixelImage {
    static constexpr std::int64_t kChannels = 3;

    std::int64_t width = 0;
    std::int64_t height = 0;
    std::vector<std::uint8_t> pixels; // height × width × 3

    [[nodiscard]] std::size_t rowBytes() const { return static_cast<std::size_t>(width * kChannels); }
};

// A JPEG or PNG, told apart by its first bytes. Grey becomes RGB, palettes are looked up, 16 bits are scaled to 8,
// transparency is left out (as Pillow's convert("RGB")), CMYK is mixed. Throws Failure(Data) with `path` and the
// reason: another format, broken, cut, or of more than kMostPixels.
[[nodiscard]] PixelImage decodeImage(std::span<const std::uint8_t> bytes, const std::string& path);

inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 27; // a small file can claim many

// What decodeImage chooses between.
[[nodiscard]] PixelImage decodeJpeg(std::span<const std::uint8_t> bytes, const std::string& path);
[[nodiscard]] PixelImage decodePng(std::span<const std::uint8_t> bytes, const std::string& path);
[[nodiscard]] PixelImage imageOf(std::int64_t width, std::int64_t height, const std::string& path); // black; checks

} // namespace lockstep::trainer
