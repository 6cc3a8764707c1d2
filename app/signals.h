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
    // To be called before the first thread of the program is made: one that was made earlier would be given the signal,
    // and that ends the program without a word.
    static void block();

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
