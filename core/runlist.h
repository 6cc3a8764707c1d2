// SPDX-License-Identifier: GPL-3.0-or-later
// All runs of the data folder, newest first, and the ones that are open. Thread: GUI.
#pragma once

#include "core/runstore.h"

#include <map>

namespace lockstep {

class RunList : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    [[nodiscard]] const QList<RunSummary>& runs() const { return m_runs; }
    [[nodiscard]] const RunSummary* find(const QString& id) const;
    [[nodiscard]] RunData* data(const QString& id) const; // null: not open
    [[nodiscard]] QStringList open() const;               // ids, in the order they were opened

    void setRuns(QList<RunSummary> runs);
    void update(const RunSummary& run); // adds a new one on top
    RunData& attach(const QString& id); // opens it (empty) or returns the open one
    void close(const QString& id);

signals:
    void reset();
    void runChanged(int index);
    void opened(const QString& id);
    void closed(const QString& id);

private:
    QList<RunSummary> m_runs;
    std::map<QString, std::unique_ptr<RunData>> m_open;
    QStringList m_openOrder;
};

} // namespace lockstep
