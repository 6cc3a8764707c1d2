// SPDX-License-Identifier: GPL-3.0-or-later
// Many nodes whose host keys are not known yet: all of them listed, accepted at once by who has compared them.
#pragma once

#include "core/nodestate.h"
#include "ui/widgets/panel.h"

namespace lockstep::ui {

class Button;

class BatchCard : public QFrame {
    Q_OBJECT

public:
    BatchCard(Theme& theme, const QList<const NodeState*>& unknown, QWidget* parent = nullptr);
    [[nodiscard]] Button& button() { return *m_button; }

signals:
    void acceptRequested(const QString& node, const QString& fingerprint); // of each

private:
    QList<QPair<QString, QString>> m_keys; // node, fingerprint
    Button* m_button;
};

} // namespace lockstep::ui
