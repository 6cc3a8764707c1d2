// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/stoprequest.h"

#include "trainer/failure.h"

#include <signal.h>
#include <unistd.h>

namespace lockstep::trainer {

namespace {

// A signal handler can reach nothing else: this is the one mutable global.
volatile sig_atomic_t stopRequested = 0;

void onTerm(int)
{
    stopRequested = 1;
    alarm(StopRequest::kPatienceS);
}

void onAlarm(int)
{
    _exit(static_cast<int>(ExitCode::Terminated));
}

void handle(int signal, void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART; // an interrupted read inside a collective must not look like a lost peer
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

} // namespace

void StopRequest::install()
{
    handle(SIGTERM, onTerm);
    handle(SIGALRM, onAlarm);
    handle(SIGPIPE, SIG_IGN);
}

bool StopRequest::made()
{
    return stopRequested != 0;
}

} // namespace lockstep::trainer
