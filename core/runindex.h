// SPDX-License-Identifier: GPL-3.0-or-later
// index.sqlite: the rows of the Runs page, kept so that a thousand runs list at once. A cache: a file that is missing,
// foreign or damaged is made anew, and a row holds only as long as its run's state.toml is the one it was made from.
#pragma once

#include "core/runsummary.h"

#include <QHash>

#include <memory>

namespace lockstep {

class RunIndex {
public:
    struct Stamp { // of state.toml
        qint64 changedNs = 0;
        qint64 bytes = 0;
        bool operator==(const Stamp&) const = default;
    };
    struct Row {
        Stamp stamp;
        RunSummary summary;
    };

    explicit RunIndex(QString path);
    ~RunIndex();

    [[nodiscard]] QHash<QString, Row> rows();
    void replace(const QList<Row>& changed, const QStringList& removed);

private:
    struct Database;
    Database* open(); // null: can't be made; the caller then reads the runs themselves

    QString m_path;
    std::unique_ptr<Database> m_database;
};

} // namespace lockstep
