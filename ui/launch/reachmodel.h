// SPDX-License-Identifier: GPL-3.0-or-later
// The ways to the master that were tried or left out, one row each. Thread: GUI.
#pragma once

#include "core/launchplan.h"
#include "ui/widgets/cellmodel.h"

namespace lockstep::ui {

class ReachModel : public CellModel {
    Q_OBJECT

public:
    enum Column { Address, Result, Detail, ColumnCount };

    explicit ReachModel(QObject* parent = nullptr);
    void setTries(const QList<ReachTry>& tries);

private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] Cell cellAt(int row, int column) const override;

    QList<ReachTry> m_tries;
};

} // namespace lockstep::ui
