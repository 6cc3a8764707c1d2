// SPDX-License-Identifier: GPL-3.0-or-later
// JPEG and PNG files of every kind that there is, written by the libraries' own writers.
#pragma once

#include <QByteArray>

#include <cstdint>
#include <span>

namespace lockstep::test {

struct MadePng {
    int width = 0;
    int height = 0;
    int depth = 8;  // bits of a sample
    int colour = 2; // as in the file: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha
    bool interlaced = false;
    QByteArray rows{};    // packed as in the file, without filter bytes
    QByteArray palette{}; // RGB triples
};
[[nodiscard]] QByteArray png(const MadePng& made);

enum class JpegColours { Grey, Rgb, Cmyk, AdobeCmyk };
// Quality 100 without subsampling, so that pixels come back within a few steps.
[[nodiscard]] QByteArray jpeg(int width, int height, JpegColours colours, const QByteArray& pixels);

} // namespace lockstep::test
