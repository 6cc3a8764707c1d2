// SPDX-License-Identifier: GPL-3.0-or-later
// RunFacts as rows: name, value, who said it. Thread: GUI.
#pragma once

#include "core/runfacts.h"
#include "ui/widgets/cellmodel.h"

namespace lockstep::ui {

class FactsModel : public CellModel {
    Q_OBJECT

public:
    enum Column { Name, Value, Ranks, ColumnCount };

    explicit FactsModel(QObject* parent = nullptr);
    void setFacts(const QList<RunFact>& facts);

private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] Cell cellAt(int row, int column) const override;
    [[nodiscard]] QString hintAt(int row, int column) const override;

    QList<RunFact> m_facts;
};

} // namespace lockstep::ui
