// SPDX-License-Identifier: GPL-3.0-or-later
// The data folder: inventory.toml, index.sqlite, runs/ID/{spec.toml, plan.toml, state.toml, NODE.spool...,
// NODE.clocks}. The spools (in segments: spoolfile.h) are the only store of a run; index.sqlite is a cache of it,
// deleted and rebuilt at will. Thread: the store thread (or a test's own).
#pragma once

#include "core/datafolder.h"
#include "core/runclaim.h"
#include "core/rundata.h"
#include "core/runsummary.h"
#include "core/spoolclock.h"
#include "core/spoolfile.h"

#include <QDateTime>

namespace lockstep {

class SpoolShelf;

class RunStore {
public:
    explicit RunStore(DataFolder folder, qint64 segmentBytes = SpoolFile::kSegmentBytes);
    ~RunStore();

    [[nodiscard]] Result<RunState> create(const RunSpec& spec,
                                          const LaunchPlan& plan); // makes the id, the number and the folder
    // A run that another desktop of this user launched: from now on it is one of this data folder's too.
    [[nodiscard]] Result<RunState> adopt(const QString& id, const RunSpec& spec, const LaunchPlan& plan, int attempt);
    [[nodiscard]] Result<void> savePlan(const QString& id, const LaunchPlan& plan);
    [[nodiscard]] Result<void> saveState(const RunState& state);
    [[nodiscard]] Result<RunSpec> spec(const QString& id) const;
    [[nodiscard]] Result<LaunchPlan> plan(const QString& id) const;
    [[nodiscard]] Result<RunState> state(const QString& id) const;

    // Null: another program drives the run.
    [[nodiscard]] std::shared_ptr<RunClaim> claim(const QString& id) const;
    // A stop for whoever drives the run: while it launches, or before its next attempt, no node has anything to stop.
    [[nodiscard]] Result<void> askToStop(const QString& id, int graceS);
    [[nodiscard]] std::optional<int> stopAsked(const QString& id) const; // its grace; < 0: the spec's

    [[nodiscard]] Result<void> annotate(const QString& id, const QStringList& tags, const QString& note);

    // Offsets and sizes count uncompressed bytes. The size of our copy is where `follow` resumes. append() refuses
    // bytes whose offset is not that size.
    [[nodiscard]] Result<qint64> spoolSize(const QString& id, const QString& node) const;
    [[nodiscard]] Result<void> append(const QString& id, const QString& node, qint64 offset, std::string_view bytes);
    [[nodiscard]] Result<QByteArray> readSpool(const QString& id, const QString& node, qint64 offset,
                                               qint64 limit) const;
    [[nodiscard]] Result<void> append(const QString& id, const QString& node, const SpoolClock& clock);
    [[nodiscard]] QList<SpoolClock> clocks(const QString& id, const QString& node) const; // missing: none

    [[nodiscard]] Result<QList<RunSummary>>
    list(); // newest first; rebuilds the index where it is missing or older than the run
    [[nodiscard]] Result<QString>
    resolve(const QString& text); // an id, its unique beginning, "#12", "12", a name (newest), "last"
    [[nodiscard]] Result<RunSummary> summary(const QString& id) const; // from the run itself
    [[nodiscard]] const DataFolder& folder() const { return m_folder; }

private:
    struct Index;
    struct Numbering;
    [[nodiscard]] Result<Numbering> nextNumber();
    [[nodiscard]] Result<void> makeRunFolder(const QString& id); // Busy: it is there
    [[nodiscard]] Result<RunState> fill(const RunState& state, const RunSpec& spec, const LaunchPlan& plan);
    DataFolder m_folder;
    std::unique_ptr<Index> m_index;
    std::unique_ptr<SpoolShelf> m_spools;
};

[[nodiscard]] bool isRunId(const QString& id);        // of a folder of runs/
[[nodiscard]] QDateTime createdOf(const QString& id); // as the id says; else now

// Zero of a run's time axis, the same on every node and however often it is opened: RunDecoder::setStartWallUs.
[[nodiscard]] qint64 startOf(const RunState& state);

// Reads a stored run whole into `data` (command line, export, tests); the window does it in pieces on the store thread.
[[nodiscard]] Result<void> openRun(RunStore& store, const QString& id, RunData& data);

// What was here of an opened run's records and is no more, or can't be read: a sentence each.
[[nodiscard]] QStringList lackingIn(RunStore& store, const RunData& data);

} // namespace lockstep
