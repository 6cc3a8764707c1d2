// SPDX-License-Identifier: GPL-3.0-or-later
// A program that a test started: what it says, line by line as it comes, and how it ends. Ended when destroyed.
#pragma once

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

#include <chrono>
#include <optional>

namespace lockstep::test {

struct Answer {
    int exitCode = -1; // -1: ended by a signal
    QByteArray out, err;

    [[nodiscard]] QJsonDocument json() const { return QJsonDocument::fromJson(out); }
    [[nodiscard]] QJsonObject object() const { return json().object(); }
};

class Program {
public:
    Program(const QString& program, const QStringList& words, const QProcessEnvironment& environment);
    ~Program();

    // Waits until stderr holds `text`; false when it ended, or the time is over, without.
    [[nodiscard]] bool says(const QByteArray& text, std::chrono::milliseconds limit);
    [[nodiscard]] QByteArray said() const { return m_err; }
    [[nodiscard]] QByteArray printed() const { return m_out; } // on stdout, up to now
    [[nodiscard]] bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
    void killHard();  // with SIGKILL, and sees it gone
    void interrupt(); // Ctrl-C
    void pause();     // SIGSTOP
    void goOn();
    [[nodiscard]] qint64 processId() const { return m_process.processId(); }
    // Its end must come within `limit`, else the test program ends with what was said so far.
    [[nodiscard]] Answer end(std::chrono::milliseconds limit);

private:
    QProcess m_process;
    QByteArray m_out, m_err;
};

} // namespace lockstep::test
