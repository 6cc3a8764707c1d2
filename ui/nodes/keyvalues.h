// SPDX-License-Identifier: GPL-3.0-or-later
// Captions over two columns: what it is in text2, its value in text; values elide and can be copied.
#pragma once

#include "ui/widgets/tone.h"

#include <QList>
#include <QPair>
#include <QWidget>

class QGridLayout;

namespace lockstep::ui {

class KeyValues : public QWidget {
    Q_OBJECT

public:
    explicit KeyValues(Theme& theme, QWidget* parent = nullptr);
    void setRows(const QList<QPair<QString, QString>>& rows); // rebuilt only when the captions differ

private:
    Theme& m_theme;
    QGridLayout* m_grid;
    QList<QPair<QString, QString>> m_rows;
    QList<QLabel*> m_captions, m_values;
};

} // namespace lockstep::ui
