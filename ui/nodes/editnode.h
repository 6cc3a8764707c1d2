// SPDX-License-Identifier: GPL-3.0-or-later
// What the inventory says of one node, a field each. Says at once what cannot be meant; asks by editRequested, with the
// node as it was shown, so that a change from elsewhere in the meantime is not overwritten.
#pragma once

#include "core/node.h"
#include "ui/theme.h"

#include <QWidget>

class QLabel;

namespace lockstep::ui {

class Button;
class Field;

class EditNode : public QWidget {
    Q_OBJECT

public:
    explicit EditNode(Theme& theme, QWidget* parent = nullptr);
    void setNode(const Node& node); // begins anew
    void setNow(const Node& node);  // the inventory changed: shown unless something was typed
    void takeFocus();
    [[nodiscard]] const Node& node() const { return m_shown; }
    [[nodiscard]] Field& field(const QString& key);

signals:
    void editRequested(const lockstep::Node& shown, const lockstep::Node& edited);

private:
    void fill();
    bool read(); // fields -> m_edited; false: one cannot be meant
    void submit();

    Node m_shown, m_edited;
    QLabel *m_name, *m_says;
    QList<std::pair<QString, Field*>> m_fields; // key as in inventory.toml
    Button* m_save;
    bool m_filling = false, m_typed = false;
};

} // namespace lockstep::ui
