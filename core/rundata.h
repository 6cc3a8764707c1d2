// SPDX-License-Identifier: GPL-3.0-or-later
// Everything the screens show of one run, built from the bytes of its spools and from nothing else. Thread: GUI (or the
// command line's main thread); fed with RunUpdates that the store thread made, so decoding costs the GUI nothing.
#pragma once

#include "core/runstate.h"
#include "core/series.h"

#include <QHash>
#include <QMap>
#include <QObject>

#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace lockstep {

struct SeriesKey {
    QString metric;   // "loss"; device samples: "device/util"
    int rank = -1;    // -1: of the node or device
    int nodeIndex = 0;
    QString device;   // "", "cpu", "gpu:UUID"
    int attempt = 1;

    bool operator==(const SeriesKey&) const = default;
    // By metric first; QString has no <=> in Qt 6.4.
    [[nodiscard]] bool operator<(const SeriesKey& other) const
    {
        return std::tie(metric, rank, nodeIndex, device, attempt) <
               std::tie(other.metric, other.rank, other.nodeIndex, other.device, other.attempt);
    }
};

struct Point {
    double step = 0;      // NaN for samples of a node
    double seconds = 0;   // since the run's start, corrected by the clock offset
    double value = 0;
};

struct LogLine {
    qint64 wallUs = 0; // corrected
    int nodeIndex = 0;
    int rank = -1;     // -1: the node
    enum class Kind { Out, Err, Event } kind = Kind::Out;
    QString text;
};

struct PhaseChange {
    int nodeIndex = 0;
    int rank = -1;
    QString phase, reason;
    qint64 pid = 0;
    int code = -1, signal = 0, gone = -1, left = -1;
    qint64 wallUs = 0;
};

// What one piece of a spool held. Made by RunDecoder on the store thread, consumed by RunData::apply.
struct RunUpdate {
    int nodeIndex = 0;
    qint64 spoolBytes = 0; // after this piece
    std::vector<std::pair<SeriesKey, std::vector<Point>>> points;
    std::vector<LogLine> lines;
    std::vector<PhaseChange> phases;
    std::vector<std::pair<int, QMap<QString, QString>>> info; // rank, keys
    std::uint64_t malformed = 0, dropped = 0;
};

// Bytes of one node's spool -> updates. One a node and run; store thread.
class RunDecoder {
public:
    RunDecoder(int nodeIndex, qint64 clockOffsetUs);
    ~RunDecoder();
    void setStartWallUs(qint64 wallUs); // zero of `seconds`, the same for all nodes
    [[nodiscard]] RunUpdate feed(std::string_view bytes);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

enum class XAxis { Step, Epoch, Samples, Time, Wall };

class RunData : public QObject {
    Q_OBJECT

public:
    explicit RunData(QObject* parent = nullptr);

    void setPlan(const RunSpec& spec, const LaunchPlan& plan);
    void setState(const RunState& state); // id, name, phase and links; the ranks' phases come from the stream
    void apply(const RunUpdate& update);

    [[nodiscard]] const RunSpec& spec() const { return m_spec; }
    [[nodiscard]] const LaunchPlan& plan() const { return m_plan; }
    [[nodiscard]] const RunState& state() const { return m_state; }

    // Two series a key: against step and against seconds (the same values).
    [[nodiscard]] const Series* series(const SeriesKey& key, XAxis x = XAxis::Step) const;
    [[nodiscard]] const std::map<SeriesKey, std::pair<Series, Series>>& allSeries() const { return m_series; }
    [[nodiscard]] QStringList metrics() const;
    [[nodiscard]] const std::vector<LogLine>& log() const { return m_log; } // sorted by arrival
    [[nodiscard]] const QMap<QString, QString>& info(int rank) const;

    [[nodiscard]] qint64 totalSteps() const;      // 0: not said yet
    [[nodiscard]] qint64 stepsPerEpoch() const;   // 0: not said yet
    [[nodiscard]] qint64 step() const;            // the least of all ranks, -1: none
    [[nodiscard]] double samplesPerSecond() const; // of all ranks, over the last 10 s
    [[nodiscard]] double waitFraction() const;     // waiting for gradients / step time, last 10 s
    [[nodiscard]] double meanLoss() const;         // newest, over ranks
    [[nodiscard]] double etaSeconds() const;       // NaN: unknown
    [[nodiscard]] qint64 newestRecordWallUs() const;
    [[nodiscard]] std::uint64_t generation() const { return m_generation; } // grows with every apply/setState: repaint when it changed

signals:
    void changed();      // something; coalesced by whoever paints
    void stateChanged(); // phase, link, cause

private:
    RunSpec m_spec;
    LaunchPlan m_plan;
    RunState m_state;
    std::map<SeriesKey, std::pair<Series, Series>> m_series;
    std::vector<LogLine> m_log;
    QHash<int, QMap<QString, QString>> m_info;
    std::uint64_t m_generation = 0;
};

} // namespace lockstep
