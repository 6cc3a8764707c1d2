// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that ran out, from what LibTorch says about it: what was asked, what was free, what helps.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::trainer {

// How an ending without an exception is told; where a thread found no place, it is memory that ran out too.
inline constexpr char kTerminate[] = "std::terminate";            // a thread of a library's gave up
inline constexpr char kLibraryExit[] = "a library called exit()"; // OpenMP's does when it gets no thread

// The sentence for people when the message tells of memory that ran out: c10::OutOfMemoryError's ("CUDA out of memory.
// Tried to allocate ..."), the CPU allocator's, or std::bad_alloc's, which knows nothing; or of a thread that could
// not be made because its stack had no place. nullopt for all others.
[[nodiscard]] std::optional<std::string> outOfMemory(std::string_view message);

} // namespace lockstep::trainer
