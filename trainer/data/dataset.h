// SPDX-License-Identifier: GPL-3.0-or-later
// A data set as what can be read by index into memory of a batch's. Knows no tensor: it fills memory it is given, from
// several threads at once, so it is tested without LibTorch. What a sample looks like in an epoch is a pure function of
// (seed, epoch, index): no order of threads, and no resumption, changes it.
#pragma once

#include "trainer/options.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace lockstep::trainer {

enum class SampleKind { Image, Tokens };

struct SampleShape {
    SampleKind kind = SampleKind::Image;
    std::int64_t channels = 1; // of an image
    std::int64_t height = 28;
    std::int64_t width = 28;
    std::int64_t context = 0;  // tokens of a sample, and as many targets
    std::int64_t classes = 10; // of an image; or the vocabulary

    bool operator==(const SampleShape&) const = default;
    [[nodiscard]] std::int64_t inputs() const
    {
        return kind == SampleKind::Image ? channels * height * width : context;
    }
    [[nodiscard]] std::int64_t targets() const { return kind == SampleKind::Image ? 1 : context; }
};

// Of indices.size() samples each; the one of images and tokens that the data set's kind does not have is nullptr.
struct BatchMemory {
    float* images = nullptr;         // N × channels × height × width, normalised
    std::int64_t* tokens = nullptr;  // N × context
    std::int64_t* targets = nullptr; // N, or N × context: the next token
};

struct Draw { // what augmentation draws from
    std::uint64_t seed = 0;
    std::int64_t epoch = 0;
};

class Dataset {
public:
    virtual ~Dataset() = default;

    [[nodiscard]] virtual std::int64_t count() const = 0;
    [[nodiscard]] virtual const SampleShape& shape() const = 0;
    // Any thread. Throws Failure(Data) that names the file when one cannot be read.
    virtual void read(std::span<const std::int64_t> indices, const Draw& draw, const BatchMemory& memory) const = 0;
};

struct DataSplit {
    std::unique_ptr<Dataset> train;
    std::unique_ptr<Dataset> test; // nullptr: there is none
};

[[nodiscard]] DataSplit loadData(const Options& options); // throws Failure(Data)

} // namespace lockstep::trainer
