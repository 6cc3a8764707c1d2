// SPDX-License-Identifier: GPL-3.0-or-later
// The hosts of ~/.ssh/config with a box each. Nothing is contacted before Import is pressed.
#pragma once

#include "ui/theme.h"

#include <QList>
#include <QPair>
#include <QWidget>

class QCheckBox;
class QLabel;
class QVBoxLayout;

namespace lockstep::ui {

class Button;

class ImportList : public QWidget {
    Q_OBJECT

public:
    explicit ImportList(Theme& theme, QWidget* parent = nullptr);
    // alias, what is known of it ("alice@10.0.0.11", "via login"); those already in the inventory are left out
    void setAliases(const QList<QPair<QString, QString>>& aliases, const QStringList& known);
    [[nodiscard]] QStringList chosen() const;

signals:
    void importRequested(const QStringList& aliases);

private:
    void recount();

    Theme& m_theme;
    QLabel* m_caption;
    QVBoxLayout* m_boxes;
    Button* m_import;
    QList<QCheckBox*> m_checks;
};

} // namespace lockstep::ui
