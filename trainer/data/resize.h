// SPDX-License-Identifier: GPL-3.0-or-later
// A part of an image, made to another size with the triangle filter, widened where it gets smaller (antialiased):
// Pillow's resize(BILINEAR, box=...), rows first, bytes in between, with weights of 16 bits instead of 22.
#pragma once

#include "trainer/data/augment.h"
#include "trainer/data/pixelimage.h"

namespace lockstep::trainer {

// The crop lies within the image. Mirrored crops come out mirrored. The same pixels on every machine.
[[nodiscard]] PixelImage resized(const PixelImage& image, const Crop& crop, std::int64_t width, std::int64_t height);

} // namespace lockstep::trainer
