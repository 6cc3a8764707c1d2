// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as an image file: a picture or Failure(Data), nothing else. Driven by tests/wire/fuzz_main.cpp.
#include "trainer/data/pixelimage.h"
#include "trainer/failure.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace lockstep::trainer;
    try {
        const PixelImage image = decodeImage({data, size}, "input");
        if (image.pixels.size() != image.rowBytes() * static_cast<std::size_t>(image.height))
            std::abort();
    } catch (const Failure& failure) {
        if (failure.code() != ExitCode::Data)
            std::abort();
    }
    return 0;
}
