// SPDX-License-Identifier: GPL-3.0-or-later
// A run of tests/e2e/ranks/steady on some hosts of the cluster, for faults in its middle.
#pragma once

#include "tests/e2e/userdesk.h"

namespace lockstep::test {

// The two hosts of a fault: the one it happens to, and the other of the same run.
[[nodiscard]] QString healthy(int fault);
[[nodiscard]] QString faulty(int fault);

class FaultRun {
public:
    // One rank a host. `script` of tests/e2e/ranks.
    FaultRun(const QStringList& hosts, const QString& script, int graceS = 2);

    void begin();        // `lockstep run`
    void awaitRunning(); // until it runs, and each host has taken some steps
    [[nodiscard]] Program& program() { return *m_program; }
    [[nodiscard]] UserDesk& desk() { return m_desk; }
    [[nodiscard]] const QString& id() const { return m_id; }
    [[nodiscard]] QString specFile() const { return m_spec; }

    [[nodiscard]] int steps(const QString& host) const;    // as the rank counts them on its own disk
    [[nodiscard]] bool stepsOn(const QString& host) const; // within the time that a busy machine needs
    void letEnd() const;                                   // the ranks finish by themselves
    // Every byte of every host's spool is here, once.
    [[nodiscard]] QString difference() const;        // empty: none
    static void killSupervisor(const QString& host); // with -9; the one there
    // What of the user runs there besides sign-ins, "PID ARGS".
    [[nodiscard]] static QStringList processes(const QString& host);
    [[nodiscard]] bool isGone(const QString& host) const; // within the time that a busy machine needs

private:
    UserDesk m_desk;
    QStringList m_hosts;
    QString m_spec, m_id;
    std::unique_ptr<Program> m_program;
};

} // namespace lockstep::test
