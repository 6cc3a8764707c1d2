// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/lastwords.h"

#include "trainer/lostpeer.h"
#include "trainer/outofmemory.h"
#include "trainer/records/report.h"
#include "trainer/stoprequest.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <new>
#include <thread>

namespace lockstep::trainer {

namespace {

constexpr std::chrono::milliseconds kFlushDeadline{1000};

// std::terminate takes no argument: the handler can reach nothing else.
MetricWriter* writer = nullptr;
std::thread::id owner; // of the writer
std::atomic_flag ending;

Ending currentEnding()
{
    const Stop stop = StopRequest::made() ? Stop::Asked : Stop::NotAsked;
    try {
        std::rethrow_exception(std::current_exception());
    } catch (const Failure& failure) {
        return {failure.code(), failure.what()};
    } catch (const std::bad_alloc&) {
        return endingFor("std::bad_alloc", stop);
    } catch (const std::exception& error) {
        return endingFor(error.what(), stop);
    } catch (...) {
        return {ExitCode::Unexpected, "an exception of an unknown type"};
    }
}

void say(const Ending& last, MetricWriter& metrics)
{
    Report(metrics, 0)
        .info({{"failure", oneLine(last.sentence)}, {"failure_code", std::int64_t{static_cast<int>(last.code)}}});
    metrics.flush(kFlushDeadline);
}

[[noreturn]] void end()
{
    if (ending.test_and_set()) { // another thread is at it already
        for (;;)
            pause();
    }
    const Ending last = std::current_exception() ? currentEnding() : endingFor("std::terminate", Stop::NotAsked);
    if (std::this_thread::get_id() == owner) {
        say(last, *writer);
    } else { // the writer may be in the middle of a record; a line of its own is never torn
        MetricWriter aside(MetricWriter::kDescriptor, writer->rank());
        say(last, aside);
    }
    std::fflush(stdout);
    std::fprintf(stderr, "lockstep-trainer: rank %d: %s\n", writer->rank(), oneLine(last.sentence).c_str());
    std::fflush(stderr);
    _exit(static_cast<int>(last.code));
}

} // namespace

LastWords::LastWords(MetricWriter& metrics)
{
    writer = &metrics;
    owner = std::this_thread::get_id();
    std::set_terminate(end);
}

Ending endingFor(const std::string& message, Stop stop)
{
    if (const auto sentence = outOfMemory(message))
        return {ExitCode::OutOfMemory, *sentence};
    if (stop == Stop::Asked) // its peers may have stopped one step earlier
        return {ExitCode::Terminated, "stopped by SIGTERM"};
    if (speaksOfLostPeer(message))
        return {ExitCode::LostPeer, "another rank is gone or does not answer: " + message};
    return {ExitCode::Unexpected, message};
}

} // namespace lockstep::trainer
