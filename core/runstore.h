// SPDX-License-Identifier: GPL-3.0-or-later
// The data folder: inventory.toml, index.sqlite, runs/ID/{spec.toml, plan.toml, state.toml, NODE.spool}. The spools are the only
// store of a run; index.sqlite is a cache of it, deleted and rebuilt at will. Thread: the store thread (or a test's own).
#pragma once

#include "core/rundata.h"

namespace lockstep {

struct RunSummary { // a row of the Runs page
    QString id;
    int number = 0;
    QString name;
    RunPhase phase = RunPhase::Planning;
    QString reason;
    int nodes = 0, ranks = 0;
    qint64 createdWallUs = 0, endedWallUs = 0;
    double lastLoss = 0; // NaN: none
    std::vector<float> sparkline; // up to 88 values
    QStringList tags;
    QString note;
};

class DataFolder { // paths and nothing else
public:
    explicit DataFolder(QString path); // made when missing, mode 0700
    [[nodiscard]] static QString standardPath(); // $LOCKSTEP_DATA, else XDG_DATA_HOME/lockstep, else ~/.local/share/lockstep
    [[nodiscard]] QString inventoryFile() const;
    [[nodiscard]] QString indexFile() const;
    [[nodiscard]] QString runFolder(const QString& id) const;
    [[nodiscard]] QString spoolFile(const QString& id, const QString& node) const;
    [[nodiscard]] QString specsFolder() const; // saved specs

private:
    QString m_path;
};

class RunStore {
public:
    explicit RunStore(DataFolder folder);
    ~RunStore();

    [[nodiscard]] Result<RunState> create(const RunSpec& spec, const LaunchPlan& plan); // makes the id, the number and the folder
    [[nodiscard]] Result<void> savePlan(const QString& id, const LaunchPlan& plan);
    [[nodiscard]] Result<void> saveState(const RunState& state);
    [[nodiscard]] Result<RunSpec> spec(const QString& id) const;
    [[nodiscard]] Result<LaunchPlan> plan(const QString& id) const;
    [[nodiscard]] Result<RunState> state(const QString& id) const;

    // The size of our copy is where `follow` resumes. append() refuses bytes whose offset is not that size.
    [[nodiscard]] Result<qint64> spoolSize(const QString& id, const QString& node) const;
    [[nodiscard]] Result<void> append(const QString& id, const QString& node, qint64 offset, std::string_view bytes);
    [[nodiscard]] Result<QByteArray> readSpool(const QString& id, const QString& node, qint64 offset, qint64 limit) const;

    [[nodiscard]] Result<QList<RunSummary>> list(); // newest first; rebuilds the index where it is missing or older than the run
    [[nodiscard]] Result<QString> resolve(const QString& text); // an id, its unique beginning, "#12", "12", a name (newest), "last"
    [[nodiscard]] const DataFolder& folder() const { return m_folder; }

private:
    struct Index;
    DataFolder m_folder;
    std::unique_ptr<Index> m_index;
};

// Reads a stored run whole into `data` (command line, export, tests); the window does it in pieces on the store thread.
[[nodiscard]] Result<void> openRun(RunStore& store, const QString& id, RunData& data);

} // namespace lockstep
