// SPDX-License-Identifier: GPL-3.0-or-later
// The devices that a run has samples of, by node: GPUs in their order; the CPU where a node has none.
#pragma once

#include "core/rundata.h"

#include <vector>

namespace lockstep::ui {

struct ListedDevice {
    int nodeIndex = 0;
    QString id;                   // "gpu:UUID", "cpu"
    QString label;                // "gpu1:0", "gpu1 cpu"
    int index = -1;               // -1: the CPU
    int rank = -1;                // that runs on it; -1: none
    const Series* util = nullptr; // against seconds, percent; null: no sample yet

    [[nodiscard]] bool isCpu() const { return index < 0; }
};

[[nodiscard]] std::vector<ListedDevice> devicesOf(const RunData& data);

// Newest value of a device's metric ("temp_c"); NaN: none, or not supported.
[[nodiscard]] double deviceValue(const RunData& data, const ListedDevice& device, const QString& metric);

// A node whose records do not come now, while its ranks may well be running.
[[nodiscard]] bool isAway(const RunData& data, int nodeIndex);

} // namespace lockstep::ui
