// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/lastwords.h"

#include "trainer/lostpeer.h"
#include "trainer/outofmemory.h"
#include "trainer/records/report.h"
#include "trainer/stoprequest.h"

#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string_view>
#include <thread>

namespace lockstep::trainer {

namespace {

constexpr std::chrono::milliseconds kFlushDeadline{1000};
constexpr unsigned kDeadlineS = 5;          // for all of it: a full stdout that nobody reads blocks for ever
constexpr std::size_t kReserve = 512 << 10; // far more than the sentence, its record and a look at /proc take

// std::terminate takes no argument: the handler can reach nothing else.
MetricWriter* writer = nullptr;
std::thread::id owner; // of the writer
std::atomic_flag ending;
std::atomic<int> code = static_cast<int>(ExitCode::OutOfMemory); // what else leaves no words?
static_assert(std::atomic<int>::is_always_lock_free);
std::unique_ptr<std::array<char, kReserve>> reserve; // given back for the last words
thread_local bool speaking = false;

// Takes no memory and no lock.
[[noreturn]] void endWithoutWords()
{
    constexpr std::string_view kSentence =
        "lockstep-trainer: this rank ends, and there was no memory or no time to say why\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kSentence.data(), kSentence.size());
    _exit(code);
}

void onDeadline(int)
{
    endWithoutWords();
}

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

// Why it ends is the current exception, else `unsaid`. noexcept: what is thrown here comes back as a second call on the
// same thread.
[[noreturn]] void end(const char* unsaid) noexcept
{
    if (speaking)
        endWithoutWords();
    if (ending.test_and_set()) { // another thread is at it already
        for (;;)
            pause();
    }
    speaking = true;
    signal(SIGALRM, onDeadline);
    alarm(kDeadlineS);
    mallopt(M_TOP_PAD, 0); // what is left may be less than tuneAllocator's 64 MiB
    reserve.reset();
    const Ending last = std::current_exception() ? currentEnding() : endingFor(unsaid, Stop::NotAsked);
    code = static_cast<int>(last.code);
    if (std::this_thread::get_id() == owner) {
        say(last, *writer);
    } else { // the writer may be in the middle of a record; a line of its own is never torn
        MetricWriter aside(MetricWriter::kDescriptor, writer->rank());
        say(last, aside);
    }
    std::fflush(stdout);
    std::fprintf(stderr, "lockstep-trainer: rank %d: %s\n", writer->rank(), oneLine(last.sentence).c_str());
    std::fflush(stderr);
    _exit(code);
}

[[noreturn]] void onTerminate()
{
    end(kTerminate);
}

// OpenMP's library calls exit(1) when it gets no thread. Static destructors would then wait for threads that still run.
void onExit()
{
    if (writer != nullptr)
        end(kLibraryExit);
}

} // namespace

LastWords::LastWords(MetricWriter& metrics)
{
    writer = &metrics;
    owner = std::this_thread::get_id();
    std::set_terminate(onTerminate);
    std::atexit(onExit);
    reserve = std::make_unique<std::array<char, kReserve>>();
}

LastWords::~LastWords()
{
    writer = nullptr; // main has come to its end
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
