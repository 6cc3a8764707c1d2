// SPDX-License-Identifier: GPL-3.0-or-later
// Tables with a header line that names the column of the hosts: `index,ip`, `HOSTNAMES;CPUS;FEATURES`, sinfo's and
// squeue's own (`... NODELIST`). Cut at tabs, ";", "|", "," or blanks. Features and partitions become tags, a GRES or a
// column of slots the slots; rows of squeue without nodes (pending jobs) are counted and told.
#pragma once

#include "core/importednodes.h"

#include <QStringList>

#include <optional>

namespace lockstep {

class HostTable {
public:
    // The header among the first lines (sinfo -l puts the date above it); none: this is no table.
    [[nodiscard]] static std::optional<HostTable> headerOf(const QStringList& lines);
    // Rows of three or more equal fields that nothing names, or of names beside addresses.
    [[nodiscard]] static bool isWithoutHeader(const QStringList& lines);

    [[nodiscard]] Result<ImportedNodes> read(const QStringList& lines) const;

private:
    [[nodiscard]] QStringList cells(const QString& line) const;
    [[nodiscard]] QString cell(const QStringList& row, qsizetype column) const;
    [[nodiscard]] QString readRow(const QStringList& row, ImportCollector& found) const;

    qsizetype m_line = 0; // of the header
    QChar m_separator;    // null: blanks
    qsizetype m_count = 0;
    qsizetype m_hosts = -1, m_address = -1, m_label = -1, m_slots = -1, m_gres = -1, m_user = -1, m_port = -1;
    QList<qsizetype> m_tags;
    bool m_ofJobs = false;
};

// GPUs in Slurm's words: "gpu:a100:8(S:0-1)", "gres/gpu=8", "gpu:2,gpu:h100:6"; 0: none.
[[nodiscard]] int gpusOfGres(const QString& gres);
// What can be a tag among words such as "campus,restart,(null)", "gpu*".
[[nodiscard]] QStringList tagsAmong(const QString& words);

} // namespace lockstep
