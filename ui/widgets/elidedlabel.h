// SPDX-License-Identifier: GPL-3.0-or-later
// One line that gives way: it elides at its right end, and shows all of it on hover.
#pragma once

#include "ui/widgets/tone.h"

namespace lockstep::ui {

class ElidedLabel : public QLabel {
    Q_OBJECT

public:
    ElidedLabel(const Theme& theme, FontRole role, Tone tone, const QString& text = {}, QWidget* parent = nullptr);
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace lockstep::ui
