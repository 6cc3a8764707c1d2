// SPDX-License-Identifier: GPL-3.0-or-later
// IDX files of the MNIST family, plain or gzip: two zero bytes, the type (8: unsigned byte), the number of dimensions,
// the sizes as big-endian 32 bit, then the bytes. A file that is shorter or longer than it says is refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::trainer {

struct IdxArray {
    std::vector<std::int64_t> sizes;
    std::vector<std::uint8_t> bytes;
};

// `path` without ".gz"; the plain file is taken where both are there. Throws Failure(Data).
[[nodiscard]] IdxArray readIdx(const std::string& path, std::size_t dimensions);

} // namespace lockstep::trainer
