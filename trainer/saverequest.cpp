// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/saverequest.h"

#include <signal.h>

#include <atomic>

namespace lockstep::trainer {

namespace {

std::atomic<bool> requested = false; // a signal handler can reach nothing else
static_assert(std::atomic<bool>::is_always_lock_free);

void onUser1(int)
{
    requested = true;
}

} // namespace

void SaveRequest::install()
{
    struct sigaction action = {};
    action.sa_handler = onUser1;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, nullptr);
}

bool SaveRequest::made()
{
    return requested;
}

void SaveRequest::clear()
{
    requested = false;
}

} // namespace lockstep::trainer
