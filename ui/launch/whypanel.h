// SPDX-License-Identifier: GPL-3.0-or-later
// Why the selected cell of the launch table says what it says: a sentence, and for the master every way that was tried.
#pragma once

#include "core/launchplan.h"
#include "ui/widgets/panel.h"

namespace lockstep::ui {

class DataTable;
class ReachModel;

class WhyPanel : public QFrame {
    Q_OBJECT

public:
    explicit WhyPanel(Theme& theme, QWidget* parent = nullptr);
    enum class About { Value, Master };
    void setSubject(const QString& node, const QString& column, const Sourced& value, const QList<ReachTry>& reach,
                    About about);
    void setNothing();

private:
    QLabel *m_title, *m_sentence;
    ReachModel* m_model;
    DataTable* m_table;
};

} // namespace lockstep::ui
