// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace lockstep {
namespace {

sigset_t interrupts()
{
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGINT);
    sigaddset(&wanted, SIGTERM);
    return wanted;
}

} // namespace

void InterruptSignals::block()
{
    const sigset_t wanted = interrupts();
    pthread_sigmask(SIG_BLOCK, &wanted, nullptr); // every thread made from here on inherits it
}

InterruptSignals::InterruptSignals(QObject* parent) : QObject(parent)
{
    const sigset_t wanted = interrupts();
    pthread_sigmask(SIG_BLOCK, &wanted, &m_before);
    m_descriptor = signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
    m_notifier = std::make_unique<QSocketNotifier>(m_descriptor, QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] {
        signalfd_siginfo info{};
        while (read(m_descriptor, &info, sizeof info) == sizeof info)
            emit interrupted(static_cast<int>(info.ssi_signo));
    });
}

InterruptSignals::~InterruptSignals()
{
    m_notifier.reset();
    close(m_descriptor);
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

} // namespace lockstep
