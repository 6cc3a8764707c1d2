// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of a long file of tokens: ids of one size, little-endian, nothing else. Sample i is the window of `context`
// tokens that begins at i × context, and its targets are the same window one token later; windows touch and do not
// overlap, the few tokens behind the last whole one are not used. The file is mapped, never read whole.
#pragma once

#include "trainer/data/dataset.h"
#include "trainer/data/mappedfile.h"

#include <memory>

namespace lockstep::trainer {

enum class TokenBytes { One = 1, Two = 2, Four = 4 };

class TokenWindows : public Dataset {
public:
    struct Part { // of a file, in tokens
        std::shared_ptr<const MappedFile> file;
        std::int64_t first = 0;
        std::int64_t count = 0;
    };

    // Throws Failure(Data) when not one window fits.
    TokenWindows(Part part, TokenBytes size, std::int64_t context, std::int64_t vocabulary);

    [[nodiscard]] std::int64_t count() const override { return (m_part.count - 1) / m_shape.context; }
    [[nodiscard]] const SampleShape& shape() const override { return m_shape; }
    // Throws Failure(Data) for an id outside the vocabulary.
    void read(std::span<const std::int64_t> indices, const Draw& draw, const BatchMemory& memory) const override;

private:
    template <typename Token>
    void readWindow(std::int64_t first, std::int64_t* tokens, std::int64_t* targets) const;

    Part m_part;
    TokenBytes m_size;
    SampleShape m_shape;
};

// --data tokens and text. A folder holds train.bin and val.bin (text: train.txt and val.txt), of which val may be
// missing; of a single file the last tenth is for testing. Throws Failure(Data), also for an id outside the vocabulary:
// files of up to 1 GiB are looked through here, larger ones as they are read.
[[nodiscard]] DataSplit tokenData(const Options& options);

} // namespace lockstep::trainer
