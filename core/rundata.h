// SPDX-License-Identifier: GPL-3.0-or-later
// Everything the screens show of one run, built from the bytes of its spools and from nothing else. Thread: GUI (or the
// command line's main thread); fed with RunUpdates that the store thread made, so decoding costs the GUI nothing.
#pragma once

#include "core/rundecoder.h"
#include "core/runstate.h"
#include "core/series.h"

#include <QHash>
#include <QMap>
#include <QObject>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace lockstep {

enum class XAxis { Step, Epoch, Samples, Time, Wall };

inline constexpr std::size_t kMostLogLines = 200'000;

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
    [[nodiscard]] const std::vector<LogLine>& log() const
    {
        return m_log;
    } // sorted by arrival; the newest kMostLogLines
    [[nodiscard]] std::uint64_t logDropped() const
    {
        return m_logDropped;
    } // older lines no longer held; the spool has them
    [[nodiscard]] std::uint64_t malformed() const { return m_malformed; } // lines of the spools that are no record
    [[nodiscard]] std::uint64_t dropped() const { return m_dropped; }     // records thinned out on the nodes
    [[nodiscard]] const QMap<QString, QString>& info(int rank) const;

    [[nodiscard]] qint64 totalSteps() const;       // 0: not said yet
    [[nodiscard]] qint64 stepsPerEpoch() const;    // 0: not said yet
    [[nodiscard]] qint64 step() const;             // the least of all ranks, -1: none
    [[nodiscard]] double samplesPerSecond() const; // of all ranks, over the last 10 s
    [[nodiscard]] double waitFraction() const;     // waiting for gradients / step time, last 10 s
    [[nodiscard]] double meanLoss() const;         // newest, over ranks
    [[nodiscard]] double etaSeconds() const;       // NaN: unknown
    [[nodiscard]] qint64 newestRecordWallUs() const;
    [[nodiscard]] std::uint64_t generation() const
    {
        return m_generation;
    } // grows with every apply/setState: repaint when it changed

signals:
    void changed();      // something; coalesced by whoever paints
    void stateChanged(); // phase, link, cause

private:
    void addPoints(const RunUpdate& update);
    void addLines(const RunUpdate& update);
    void takeTold();
    void takeLastLines();
    [[nodiscard]] qint64 infoNumber(const QString& key) const;

    RunSpec m_spec;
    LaunchPlan m_plan;
    RunState m_state;
    std::map<SeriesKey, std::pair<Series, Series>> m_series;
    QHash<SeriesKey, std::pair<Series, Series>*> m_found; // of m_series: a search by strings costs more than a point
    std::vector<LogLine> m_log;
    QHash<int, QMap<QString, QString>> m_info;
    std::optional<FirstCause>
        m_told;                // a cause that the spools don't show: a node that is lost, a world of the wrong size
    bool m_fromStream = false; // a spool has spoken: its word on ranks holds
    qint64 m_newestWallUs = 0;
    std::uint64_t m_malformed = 0, m_dropped = 0, m_logDropped = 0;
    std::uint64_t m_generation = 0;
};

} // namespace lockstep
