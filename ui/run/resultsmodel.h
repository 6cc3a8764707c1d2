// SPDX-License-Identifier: GPL-3.0-or-later
// The result files of a run as rows: node, path, size, how much of it is here. Thread: GUI.
#pragma once

#include "core/resultsshelf.h"
#include "ui/widgets/cellmodel.h"

namespace lockstep::ui {

class ResultsModel : public CellModel {
    Q_OBJECT

public:
    enum Column { Node, Path, Size, Here, ColumnCount };

    explicit ResultsModel(QObject* parent = nullptr);
    void setResults(const RunResults& results);
    [[nodiscard]] const QList<ResultEntry>& files() const { return m_results.files; }

private:
    [[nodiscard]] int rowsShown() const override { return static_cast<int>(m_results.files.size()); }
    [[nodiscard]] Cell cellAt(int row, int column) const override;
    [[nodiscard]] QVariant sortKeyAt(int row, int column) const override;
    [[nodiscard]] QString hintAt(int row, int column) const override;
    [[nodiscard]] Cell hereCell(const ResultEntry& entry) const;

    RunResults m_results;
};

} // namespace lockstep::ui
