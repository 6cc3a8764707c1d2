// SPDX-License-Identifier: GPL-3.0-or-later
// SIGINT and SIGTERM as a Qt signal. One at a time in a process; the handlers of before come back at its end. Thread:
// main.
#pragma once

#include <QObject>
#include <QSocketNotifier>

#include <csignal>
#include <memory>

namespace lockstep {

class InterruptSignals : public QObject {
    Q_OBJECT

public:
    explicit InterruptSignals(QObject* parent = nullptr);
    ~InterruptSignals() override;

signals:
    void interrupted(int signal);

private:
    int m_descriptor = -1;
    sigset_t m_before{};
    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace lockstep
