// SPDX-License-Identifier: GPL-3.0-or-later
// A node whose host key a person has to look at: an unknown one can be accepted here, a changed one only understood.
#pragma once

#include "core/nodestate.h"
#include "ui/widgets/panel.h"

namespace lockstep::ui {

class Button;

class AskCard : public QFrame {
    Q_OBJECT

public:
    AskCard(Theme& theme, const NodeState& state, QWidget* parent = nullptr);
    [[nodiscard]] const QString& node() const { return m_node; }
    [[nodiscard]] Button& button() { return *m_button; }

signals:
    void acceptRequested(const QString& node, const QString& fingerprint);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void fillUnknown(QVBoxLayout& column, const HostKey& key);
    void fillChanged(QVBoxLayout& column, const HostKey& key);

    Theme& m_theme;
    QString m_node;
    bool m_changed;
    QString m_fingerprints;
    Button* m_button = nullptr;
};

} // namespace lockstep::ui
