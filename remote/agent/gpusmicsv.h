// SPDX-License-Identifier: GPL-3.0-or-later
// The table that `nvidia-smi --query-gpu=... --format=csv` prints. Columns are found by their heading, so it does not
// matter which were asked for, in what order, or with which units. A cell that holds no number ([N/A], [Not Supported],
// ERR!) is a value that is not known.
#pragma once

#include "remote/agent/gpureading.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::agent {

class SmiTable {
public:
    enum class Line {
        Heading,
        Row,
        BadField, // nvidia-smi does not know a column that was asked for
        Text,     // words, as it prints when it cannot go on
    };
    struct Parsed {
        Line kind = Line::Text;
        GpuReading reading;    // of a Row
        bool ownMemory = true; // false: the device has none, the machine's stands in
    };
    [[nodiscard]] Parsed parse(std::string_view line);
    [[nodiscard]] const std::string& driver() const { return m_driver; }

private:
    [[nodiscard]] GpuReading readingOf(const std::vector<std::string_view>& cells);

    std::vector<std::string> m_columns;
    std::string m_driver;
};

} // namespace lockstep::agent
