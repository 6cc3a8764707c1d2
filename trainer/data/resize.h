// SPDX-License-Identifier: GPL-3.0-or-later
// A part of an image, made to another size with the triangle filter, widened where it gets smaller (antialiased): the
// method and the integer arithmetic of Pillow's resize(BILINEAR, box=...), so the same pixels on every machine.
#pragma once

#include "trainer/data/augment.h"
#include "trainer/data/pixelimage.h"

namespace lockstep::trainer {

// The crop lies within the image. Mirrored crops come out mirrored.
[[nodiscard]] PixelImage resized(const PixelImage& image, const Crop& crop, std::int64_t width, std::int64_t height);

} // namespace lockstep::trainer
