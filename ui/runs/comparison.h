// SPDX-License-Identifier: GPL-3.0-or-later
// What differs between the selected runs: settings by name, then results. Thread: GUI.
#pragma once

#include "core/runstore.h"
#include "ui/widgets/cell.h"

#include <QAbstractTableModel>
#include <QHash>

namespace lockstep::ui {

class Comparison : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int kMostRuns = 4;
    enum class Show { Differing, All };

    using QAbstractTableModel::QAbstractTableModel;
    // `specs` by id; a run without its spec shows results only.
    void setRuns(const QList<RunSummary>& runs, const QHash<QString, RunSpec>& specs, Show show);
    [[nodiscard]] int differing() const { return m_differing; }
    [[nodiscard]] int settings() const { return m_settings; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        QString name;
        QStringList values;
        enum class Kind { Same, Differs, Title, Result } kind = Kind::Same;
    };
    void addSettings(const QHash<QString, RunSpec>& specs, Show show);
    void addResults();

    QList<RunSummary> m_runs;
    QList<Row> m_rows;
    int m_differing = 0, m_settings = 0;
};

} // namespace lockstep::ui
