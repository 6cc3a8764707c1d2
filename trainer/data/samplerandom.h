// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers of one sample in one epoch: a pure function of (seed, epoch, index), so that no thread, no order and
// no resumption changes what is drawn.
#pragma once

#include "trainer/data/dataset.h"
#include "trainer/splitmix.h"

#include <cstdint>

namespace lockstep::trainer {

class SampleRandom {
public:
    SampleRandom(const Draw& draw, std::int64_t index)
        : m_state(mixed(mixed(mixed(draw.seed) ^ static_cast<std::uint64_t>(draw.epoch)) ^
                        static_cast<std::uint64_t>(index)))
    {
    }

    std::uint64_t next() { return mixed(m_state += kSplitmixStep); }
    std::int64_t below(std::int64_t n) // n up to 2^32; the bias is below n / 2^32
    {
        return static_cast<std::int64_t>((next() >> 32) * static_cast<std::uint64_t>(n) >> 32);
    }
    double between(double low, double high) { return low + static_cast<double>(next() >> 11) * 0x1p-53 * (high - low); }

private:
    static constexpr std::uint64_t mixed(std::uint64_t z) { return splitmix(z + kSplitmixStep); }

    std::uint64_t m_state;
};

} // namespace lockstep::trainer
