// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever the bytes: a pickle is read or refused with a sentence.
#include "trainer/checkpoint/pickle.h"
#include "trainer/failure.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    try {
        const lockstep::trainer::PickleDocument document(std::as_bytes(std::span(data, size)), "x");
        (void)lockstep::trainer::PickleDocument::find(document.root(), "model");
    } catch (const lockstep::trainer::Failure&) {
    }
    return 0;
}
