// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes of a spool -> values. Thread: the store thread. Times are ours: SpoolTime.
#pragma once

#include "core/runstate.h"
#include "core/spoolclock.h"

#include <QHashFunctions>
#include <QMap>
#include <QString>

#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace lockstep {

struct SeriesKey {
    QString metric; // "loss"; device samples: "device/util"
    int rank = -1;  // -1: of the node or device
    int nodeIndex = 0;
    QString device; // "", "cpu", "gpu:UUID"
    int attempt = 1;

    bool operator==(const SeriesKey&) const = default;
    // By metric first; QString has no <=> in Qt 6.4.
    [[nodiscard]] bool operator<(const SeriesKey& other) const
    {
        return std::tie(metric, rank, nodeIndex, device, attempt) <
               std::tie(other.metric, other.rank, other.nodeIndex, other.device, other.attempt);
    }
};

[[nodiscard]] inline size_t qHash(const SeriesKey& key, size_t seed = 0)
{
    return qHashMulti(seed, key.metric, key.rank, key.nodeIndex, key.device, key.attempt);
}

struct Point {
    double step = 0;    // NaN for samples of a node
    double seconds = 0; // since the run's start, corrected by the clock offset
    double value = 0;
};

struct LogLine {
    qint64 wallUs = 0; // corrected
    int nodeIndex = 0;
    int rank = -1; // -1: the node
    enum class Kind { Out, Err, Event } kind = Kind::Out;
    QString text;
};

// What one piece of a spool held. Made by RunDecoder on the store thread, consumed by RunData::apply.
struct RunUpdate {
    int nodeIndex = 0;
    qint64 spoolBytes = 0; // after this piece
    std::vector<std::pair<SeriesKey, std::vector<Point>>> points;
    std::vector<LogLine> lines;
    std::vector<PhaseChange> phases;
    std::vector<std::pair<int, QMap<QString, QString>>> info; // rank, keys
    std::map<int, qint64> steps;                              // newest step a rank reported in this piece
    std::uint64_t malformed = 0, dropped = 0;                 // lines that are no record; thinned on the node
    int attempt = 1;
    qint64 newestWallUs = 0; // corrected time of the newest record; 0: none
};

// Bytes of one node's spool -> updates. One a node and run; store thread.
class RunDecoder {
public:
    RunDecoder(int nodeIndex, qint64 clockOffsetUs);
    ~RunDecoder();
    void setStartWallUs(qint64 wallUs);     // zero of `seconds`, the same for all nodes
    void setClockOffsetUs(qint64 offsetUs); // of what comes now: measured again for another attempt
    // Of a spool that is read from this byte on, with what was measured along it.
    void begin(qint64 fromByte, QList<SpoolClock> clocks);
    void measured(const SpoolClock& clock); // its fromByte is what was fed so far
    [[nodiscard]] RunUpdate feed(std::string_view bytes);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace lockstep
