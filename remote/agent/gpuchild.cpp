// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/gpuchild.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/fd.h"
#include "remote/agent/sampler.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kPeriodUs = 1'000'000;

void appendAbout(std::string& out, std::string_view key, std::string_view text)
{
    wire::Encoder record(out);
    record.begin(wire::kind::kDevice, wire::kNode, monotonicUs()).field("id", "gpus").field(key, text).end();
}

// A driver's library that prints must not spoil the records: they go to a descriptor that it does not know.
Fd takeOver(int outFd)
{
    Fd out(::fcntl(outFd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (outFd == STDOUT_FILENO && null.isOpen())
        ::dup2(null.get(), STDOUT_FILENO);
    return out;
}

// Sleeps to the next full period; false: nobody reads any more.
bool sleepUntil(std::int64_t wakeUs, int outFd)
{
    while (true) {
        const std::int64_t left = wakeUs - monotonicUs();
        if (left <= 0)
            return true;
        pollfd reader{outFd, 0, 0}; // POLLERR is always reported
        const int ready = ::poll(&reader, 1, static_cast<int>(left / 1000 + 1));
        if (ready > 0)
            return false;
        if (ready < 0 && errno != EINTR)
            return false;
    }
}

} // namespace

int readGpus(int outFd, const GpuRoots& roots)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // stuck in a driver it would never see that nobody reads
    ::signal(SIGPIPE, SIG_IGN);
    const Fd out = takeOver(outFd);
    std::string records;
    const GpuSearch search = findGpus(roots);
    if (!search.source) {
        appendAbout(records, search.error.empty() ? "note" : "error",
                    search.error.empty() ? search.note : search.error);
        writeAll(out.get(), records);
        return search.error.empty() ? 0 : 1;
    }
    for (std::int64_t wakeUs = monotonicUs() + kPeriodUs;; wakeUs += kPeriodUs) {
        const GpuRound round = search.source->read();
        records.clear();
        const std::int64_t nowUs = monotonicUs();
        for (const GpuReading& reading : round.readings)
            appendRecord(records, reading, nowUs);
        if (!round.error.empty())
            appendAbout(records, "error", round.error);
        if (!writeAll(out.get(), records) || !round.error.empty())
            return 1;
        if (wakeUs < nowUs) // a slow round is not made up for
            wakeUs = nowUs;
        if (!sleepUntil(wakeUs, out.get()))
            return 0;
    }
}

int runGpuChild(int outFd)
{
    return readGpus(outFd, GpuRoots{});
}

} // namespace lockstep::agent
