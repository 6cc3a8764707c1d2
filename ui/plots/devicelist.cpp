// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/devicelist.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::ui {

namespace {

const QString kUtil = QStringLiteral("device/util");
const QString kCpu = QStringLiteral("cpu");

QString nodeName(const RunData& data, int nodeIndex)
{
    const auto& nodes = data.plan().nodes;
    return nodeIndex >= 0 && nodeIndex < nodes.size() ? nodes[nodeIndex].name
                                                      : QStringLiteral("node %1").arg(nodeIndex);
}

} // namespace

std::vector<ListedDevice> devicesOf(const RunData& data)
{
    std::vector<ListedDevice> devices;
    const auto known = [&](int nodeIndex, const QString& id) {
        return std::find_if(devices.begin(), devices.end(), [&](const ListedDevice& device) {
            return device.nodeIndex == nodeIndex && device.id == id;
        });
    };
    // Planned ones first: they have a place before their first sample comes.
    for (const PlannedRank& rank : data.plan().ranks) {
        if (rank.device.isEmpty() || known(rank.nodeIndex, rank.device) != devices.end())
            continue;
        ListedDevice device{.nodeIndex = rank.nodeIndex, .id = rank.device, .label = {}};
        device.index = rank.device == kCpu ? -1 : rank.localRank;
        device.rank = rank.rank;
        devices.push_back(device);
    }
    const auto& all = data.allSeries();
    const SeriesKey first{kUtil, std::numeric_limits<int>::min(), std::numeric_limits<int>::min(), {}, 0};
    for (auto i = all.lower_bound(first); i != all.end() && i->first.metric == kUtil; ++i) {
        const SeriesKey& key = i->first;
        auto device = known(key.nodeIndex, key.device);
        if (device == devices.end()) {
            ListedDevice found{.nodeIndex = key.nodeIndex, .id = key.device, .label = {}};
            found.index = key.device == kCpu ? -1 : std::numeric_limits<int>::max();
            devices.push_back(found);
            device = devices.end() - 1;
        }
        device->util = &i->second.second;
    }
    std::stable_sort(devices.begin(), devices.end(), [](const ListedDevice& a, const ListedDevice& b) {
        return a.nodeIndex != b.nodeIndex ? a.nodeIndex < b.nodeIndex
                                          : static_cast<unsigned>(a.index) < static_cast<unsigned>(b.index);
    });
    int number = 0, node = -1;
    for (ListedDevice& device : devices) {
        number = device.nodeIndex == node ? number : 0;
        node = device.nodeIndex;
        if (device.index == std::numeric_limits<int>::max())
            device.index = number;
        ++number;
        device.label = nodeName(data, device.nodeIndex) +
                       (device.isCpu() ? QStringLiteral(" cpu") : QStringLiteral(":%1").arg(device.index));
    }
    return devices;
}

double deviceValue(const RunData& data, const ListedDevice& device, const QString& metric)
{
    const SeriesKey key{QStringLiteral("device/") + metric, -1, device.nodeIndex, device.id, 1};
    const Series* series = nullptr;
    for (auto i = data.allSeries().lower_bound(key); i != data.allSeries().end(); ++i) {
        SeriesKey same = i->first;
        same.attempt = key.attempt;
        if (!(same == key))
            break;
        series = &i->second.second; // the newest attempt
    }
    return series && series->size() > 0 ? series->lastY() : NAN;
}

bool isAway(const RunData& data, int nodeIndex)
{
    const auto& nodes = data.state().nodes;
    if (nodeIndex < 0 || nodeIndex >= nodes.size() || isOver(data.state().phase))
        return false;
    return nodes[nodeIndex].link == LinkPhase::Reconnecting || nodes[nodeIndex].link == LinkPhase::Stale;
}

} // namespace lockstep::ui
