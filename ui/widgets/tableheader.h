// SPDX-License-Identifier: GPL-3.0-or-later
// A flat table header: words in text2, a small chevron at the column that is sorted by.
#pragma once

#include "ui/theme.h"

#include <QHeaderView>

namespace lockstep::ui {

class TableHeader : public QHeaderView {
    Q_OBJECT

public:
    explicit TableHeader(Theme& theme, QWidget* parent = nullptr);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    void paintEvent(QPaintEvent* event) override;

private:
    Theme& m_theme;
};

} // namespace lockstep::ui
