// SPDX-License-Identifier: GPL-3.0-or-later
// The head of a safetensors file: 8 bytes with the length N of the JSON, then the JSON,
//   {"__metadata__": {"format": "pt"}, "fc.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
// then the bytes of the tensors, to which the offsets refer. Every byte belongs to exactly one tensor, the JSON is at
// most 100 MB: so the format demands (huggingface/safetensors, README), and so it is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lockstep::trainer {

struct SafetensorsEntry {
    std::string name;
    std::string type; // "F32" ...
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0; // in the file
    std::uint64_t end = 0;
};

inline constexpr std::uint64_t kMostSafetensorsHeader = 100'000'000;

[[nodiscard]] std::uint64_t bytesOfSafetensorsType(std::string_view type); // of an element; 0: unknown

// From a whole file. Throws Failure(Checkpoint); `name` is for its sentence.
[[nodiscard]] std::vector<SafetensorsEntry> readSafetensorsHeader(std::span<const std::byte> file,
                                                                  const std::string& name);

// Places the tensors one after another, sets their begin and end, and gives the bytes that come before them.
[[nodiscard]] std::string makeSafetensorsHeader(std::vector<SafetensorsEntry>& entries);

} // namespace lockstep::trainer
