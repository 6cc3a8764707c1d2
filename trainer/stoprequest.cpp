// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/stoprequest.h"

#include "trainer/failure.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string_view>

namespace lockstep::trainer {

namespace {

constexpr unsigned kUsualSteps = 2;
constexpr double kLongestStepS = 3600; // beyond it no end is awaited

// A signal handler can reach nothing else: these are the mutable globals.
std::atomic<bool> stopRequested = false;
std::atomic<int> holds = 0;
std::atomic<unsigned> patienceS = StopRequest::kPatienceS;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<unsigned>::is_always_lock_free);

void onTerm(int)
{
    stopRequested = true;
    if (holds == 0)
        alarm(patienceS);
}

void onAlarm(int)
{
    if (holds != 0)
        return;
    constexpr std::string_view kSentence = "lockstep-trainer: stopped by SIGTERM within a step that could not be "
                                           "finished; what was saved before is whole\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kSentence.data(), kSentence.size());
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
    handle(SIGXFSZ, SIG_IGN);
}

bool StopRequest::made()
{
    return stopRequested;
}

void StopRequest::stepsTake(double seconds)
{
    patienceS =
        kPatienceS + static_cast<unsigned>(std::ceil(kUsualSteps * std::clamp(seconds, 0.0, kLongestStepS) - 0.1));
}

StopRequest::Hold::Hold()
{
    ++holds;
}

StopRequest::Hold::~Hold()
{
    if (--holds == 0 && stopRequested)
        alarm(patienceS);
}

} // namespace lockstep::trainer
