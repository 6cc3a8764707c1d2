// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/stop.h"

#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/control.h"
#include "remote/agent/fd.h"
#include "remote/agent/folders.h"
#include "remote/agent/noderecords.h"
#include "remote/agent/runlock.h"
#include "remote/agent/runslist.h"
#include "remote/agent/spooltail.h"
#include "remote/agent/spoolwriter.h"
#include "remote/agent/sweep.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kBeyondGraceUs =
    20'000'000; // the sweep's own deadline and some; then the supervisor counts as hung
constexpr std::int64_t kLockDeadlineUs = 5'000'000;
constexpr useconds_t kLookAgainUs = 10'000;

// A file, because between two attempts there is no supervisor to be told, and no reader of the spool.
std::string stoppedMark(const std::string& runFolder)
{
    return runFolder + "/stopped";
}

// Where it can't be made (no inode is left) a living supervisor still says it in the spool.
void markStopped(const std::string& runFolder)
{
    const Fd made(::open(stoppedMark(runFolder).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
}

const char* reasonOf(StopBy by)
{
    return by == StopBy::Person ? kStoppedOnRequest : kFailedElsewhere;
}

void sayStopping(int out, const std::string& reason)
{
    std::string record;
    appendStopping(record, reason, std::nullopt);
    writeAll(out, record);
}

int sayProof(int out, int gone, int left)
{
    std::string record;
    wire::Encoder encoder(record);
    encoder.begin("proof", wire::kNode, monotonicUs()).field("gone", gone).field("left", left).end();
    writeAll(out, record);
    if (left == 0)
        return 0;
    return answerFailure(out,
                         {"left", std::to_string(left) + " processes of the run could not be ended on " + hostName()});
}

// True: the supervisor did it. False: there is none, or it hangs and was killed.
bool stopBySupervisor(const std::string& folder, const StopWish& wish)
{
    std::string record;
    wire::Encoder encoder(record);
    encoder.begin("stop", wire::kNode, monotonicUs())
        .field("grace", wish.graceS)
        .field("asked", wish.by == StopBy::Person ? 1 : 0)
        .end();
    if (!sendControl(folder, record))
        return false;
    const std::int64_t deadline = monotonicUs() + std::int64_t{wish.graceS} * 1'000'000 + kBeyondGraceUs;
    while (monotonicUs() < deadline) {
        if (!RunLock::holder(folder))
            return runStatus(folder).standing == RunStanding::Ended || ::access(folder.c_str(), F_OK) != 0;
        ::usleep(kLookAgainUs);
    }
    const auto holder = RunLock::holder(folder);
    const auto process = holder && *holder > 0 ? readProcess(*holder) : std::nullopt;
    if (process && RunLock::holder(folder) == holder)
        sendSignal(process->id, SIGKILL);
    return false;
}

Outcome<RunLock> takeLock(const std::string& folder)
{
    const std::int64_t deadline = monotonicUs() + kLockDeadlineUs;
    auto lock = RunLock::take(folder);
    while (!lock && monotonicUs() < deadline) {
        ::usleep(kLookAgainUs);
        lock = RunLock::take(folder);
    }
    return lock;
}

// So that a follower comes to the end of the spool, and the desktop's copy has the proof.
void writeLastRecord(const std::string& folder, const SweepResult& result, const std::optional<int>& askedGraceS)
{
    auto spool = SpoolWriter::open(folder, kSegmentBytes);
    if (!spool)
        return;
    std::string record;
    Proof proof;
    proof.reason = "the supervisor was lost; the ranks were found by their tag";
    proof.gone = result.gone.size();
    proof.left = result.left;
    proof.askedGraceS = askedGraceS;
    appendEnded(record, proof);
    spool->append(record, monotonicUs());
}

int stopByTag(const std::string& folder, const StopWish& wish, int out)
{
    const auto lock = takeLock(folder);
    if (!lock)
        return answerFailure(out, lock.error());
    const SweepResult result = sweep(withoutSupervisor(folder), std::chrono::seconds(wish.graceS));
    if (result.left.empty())
        RankPipes::remove(folder);
    writeLastRecord(folder, result, wish.by == StopBy::Person ? std::optional(wish.graceS) : std::nullopt);
    return sayProof(out, static_cast<int>(result.gone.size()), static_cast<int>(result.left.size()));
}

} // namespace

int runStop(const std::string& run, const StopWish& wish, int out)
{
    const auto folder = findRun(run);
    if (!folder)
        return answerFailure(out, folder.error());
    if (wish.by == StopBy::Person)
        markStopped(*folder); // before the look: a launch that is not told by its supervisor finds the mark
    const RunStatus status = runStatus(*folder);
    if (status.standing == RunStanding::Ended && findProcesses(withoutSupervisor(*folder)).empty())
        return sayProof(out, status.phase.gone, 0);
    sayStopping(out, status.standing == RunStanding::Running ? reasonOf(wish.by) : "the supervisor is lost");
    if (status.standing == RunStanding::Running && stopBySupervisor(*folder, wish)) {
        const RunStatus after = runStatus(*folder);
        return sayProof(out, after.phase.gone, after.phase.left);
    }
    return stopByTag(*folder, wish, out);
}

Outcome<void> checkStillWanted(const std::string& runFolder)
{
    if (::access(stoppedMark(runFolder).c_str(), F_OK) != 0)
        return {};
    return failed("stopped",
                  "the run was stopped on request on " + hostName() + ", so no further attempt starts there");
}

} // namespace lockstep::agent
