// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exitreason.h"

#include <csignal>
#include <cstring>

namespace lockstep {

QString signalName(int signal)
{
    const char* name = sigabbrev_np(signal); // glibc 2.32
    return name ? QStringLiteral("SIG") + QLatin1String(name) : QStringLiteral("signal %1").arg(signal);
}

QString exitReason(int code, int signal, const QString& said)
{
    QString text;
    if (signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE)
        text = QStringLiteral("crashed with %1").arg(signalName(signal));
    else if (signal == SIGABRT)
        text = QStringLiteral("aborted (SIGABRT)");
    else if (signal > 0)
        text = QStringLiteral("killed by %1").arg(signalName(signal));
    else if (code == 0)
        text = QStringLiteral("finished");
    else if (code == kLostPeerCode)
        text = QStringLiteral("lost a peer");
    else if (code > 0)
        text = QStringLiteral("exit code %1").arg(code);
    else
        text = QStringLiteral("ended, nobody knows how");
    // The agent may say the same in its own words; twice is once too much.
    if (said.isEmpty() || said == text || (signal > 0 && said.contains(signalName(signal))))
        return text;
    return text + QStringLiteral(": ") + said;
}

int exitCodeOf(int code, int signal)
{
    constexpr int kSignalBase = 128;
    return signal > 0 ? kSignalBase + signal : code;
}

} // namespace lockstep
