// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever the bytes: a header is refused, or every tensor in it lies inside the file and has the bytes of its shape.
#include "trainer/checkpoint/safetensorsheader.h"
#include "trainer/failure.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace lockstep::trainer;
    try {
        std::uint64_t bytes = 0;
        for (const SafetensorsEntry& entry : readSafetensorsHeader(std::as_bytes(std::span(data, size)), "x")) {
            if (entry.begin > entry.end || entry.end > size)
                std::abort();
            bytes += entry.end - entry.begin;
        }
        if (bytes > size)
            std::abort();
    } catch (const Failure&) {
    }
    return 0;
}
