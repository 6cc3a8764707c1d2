// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/e2e/program.h"

#include <QTest>

#include <csignal>

namespace lockstep::test {

using namespace std::chrono_literals;

namespace {

constexpr auto kKillTime = 20s;

} // namespace

Program::Program(const QString& program, const QStringList& words, const QProcessEnvironment& environment)
{
    m_process.setProcessEnvironment(environment);
    QObject::connect(&m_process, &QProcess::readyReadStandardOutput, &m_process,
                     [this] { m_out += m_process.readAllStandardOutput(); });
    QObject::connect(&m_process, &QProcess::readyReadStandardError, &m_process,
                     [this] { m_err += m_process.readAllStandardError(); });
    m_process.start(program, words);
    m_process.closeWriteChannel();
}

Program::~Program()
{
    if (isRunning())
        killHard();
}

bool Program::says(const QByteArray& text, std::chrono::milliseconds limit)
{
    (void)QTest::qWaitFor([&] { return m_err.contains(text) || !isRunning(); }, static_cast<int>(limit.count()));
    return m_err.contains(text);
}

void Program::killHard()
{
    m_process.kill();
    m_process.waitForFinished(static_cast<int>(std::chrono::milliseconds(kKillTime).count()));
}

void Program::interrupt()
{
    ::kill(static_cast<pid_t>(m_process.processId()), SIGINT);
}

void Program::pause()
{
    ::kill(static_cast<pid_t>(m_process.processId()), SIGSTOP);
}

void Program::goOn()
{
    ::kill(static_cast<pid_t>(m_process.processId()), SIGCONT);
}

Answer Program::end(std::chrono::milliseconds limit)
{
    if (!QTest::qWaitFor([this] { return !isRunning(); }, static_cast<int>(limit.count())))
        qFatal("lockstep %s did not end. It said:\n%s", qPrintable(m_process.arguments().join(u' ')),
               m_err.constData());
    return {m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1, m_out, m_err};
}

} // namespace lockstep::test
