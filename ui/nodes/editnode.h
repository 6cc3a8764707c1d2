// SPDX-License-Identifier: GPL-3.0-or-later
// What the inventory says of one node, a field each, its environment as lines; what it has of its groups stands beside.
// Says at once what cannot be meant; asks by editRequested, with the node's own part as it was shown, so that a change
// from elsewhere in the meantime, of the node or of its groups, is not overwritten. Thread: GUI.
#pragma once

#include "core/error.h"
#include "core/inventory.h"
#include "ui/theme.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;

namespace lockstep::ui {

class Button;
class Field;

class EditNode : public QWidget {
    Q_OBJECT

public:
    explicit EditNode(Theme& theme, QWidget* parent = nullptr);
    void setNode(const Node& node, const QList<NodeGroup>& groups); // begins anew
    void setNow(const Node& node, const QList<NodeGroup>& groups);  // the inventory changed: shown unless typed in
    // The answer to editRequested. After a refusal what was typed stays, against the node as it is now.
    // False: nothing was asked here.
    bool setAnswer(const Node& now, const QList<NodeGroup>& groups, const Result<void>& saved);
    void takeFocus();
    [[nodiscard]] const Node& node() const { return m_shown; }
    [[nodiscard]] Field& field(const QString& key);

signals:
    void editRequested(const lockstep::Node& shown, const lockstep::Node& edited); // as replaceNode wants them

private:
    enum class Keep { Nothing, Typed };

    QWidget* makeFields(Theme& theme);
    QWidget* makeVariables(Theme& theme);
    void typed();
    void fill(const Node& node, const QList<NodeGroup>& groups, Keep keep);
    void showGiven();
    bool read(); // fields -> m_edited; false: one cannot be meant
    [[nodiscard]] bool isEdited() const;
    void readVariables(Node& own, QString& wrong);
    void say(const QString& wrong);
    void submit();
    void setSaving(bool saving);

    Node m_shown, m_own, m_edited; // with what its groups give; without; and as the fields say
    QList<NodeGroup> m_groups;
    QLabel *m_name, *m_says, *m_given;
    QList<std::pair<QString, Field*>> m_fields; // key as in inventory.toml
    QPlainTextEdit* m_variables;
    QString m_variablesShown; // the lines of m_own
    Button* m_save;
    bool m_filling = false, m_typed = false, m_saving = false;
};

} // namespace lockstep::ui
