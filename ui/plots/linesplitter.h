// SPDX-License-Identifier: GPL-3.0-or-later
// Panels with one border line between them that can be dragged. Qt widens the grip of a 1 px handle by itself.
#pragma once

#include <QSplitter>

namespace lockstep::ui {

class Theme;

class LineSplitter : public QSplitter {
    Q_OBJECT

public:
    LineSplitter(Theme& theme, Qt::Orientation orientation, QWidget* parent = nullptr);

protected:
    QSplitterHandle* createHandle() override;

private:
    Theme& m_theme;
};

} // namespace lockstep::ui
