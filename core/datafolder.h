// SPDX-License-Identifier: GPL-3.0-or-later
// The data folder: inventory.toml, index.sqlite, specs/, runs/ID/{spec.toml, plan.toml, state.toml, NODE.spool...,
// NODE.clocks}.
#pragma once

#include <QString>

namespace lockstep {

class DataFolder { // paths and nothing else
public:
    explicit DataFolder(QString path); // made when missing, mode 0700
    [[nodiscard]] static QString
    standardPath(); // $LOCKSTEP_DATA, else XDG_DATA_HOME/lockstep, else ~/.local/share/lockstep
    [[nodiscard]] const QString& path() const { return m_path; }
    [[nodiscard]] QString inventoryFile() const;
    [[nodiscard]] QString indexFile() const;
    [[nodiscard]] QString runsFolder() const;
    [[nodiscard]] QString runFolder(const QString& id) const;
    [[nodiscard]] QString spoolFile(const QString& id, const QString& node) const;  // its tail: SpoolFile
    [[nodiscard]] QString clocksFile(const QString& id, const QString& node) const; // SpoolClock
    [[nodiscard]] QString resultsFolder(const QString& id) const;                   // of a run: resultsshelf.h
    [[nodiscard]] QString specsFolder() const;                                      // saved specs

private:
    QString m_path;
};

} // namespace lockstep
