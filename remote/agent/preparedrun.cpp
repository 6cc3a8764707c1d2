// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/preparedrun.h"

#include "core/wire/kinds.h"
#include "remote/agent/bundlelock.h"
#include "remote/agent/clocks.h"
#include "remote/agent/folders.h"
#include "remote/agent/jobcheck.h"
#include "remote/agent/runfiles.h"
#include "remote/agent/runlock.h"
#include "remote/agent/runslist.h"
#include "remote/agent/spooltail.h"
#include "remote/agent/stop.h"
#include "remote/agent/supervisorstart.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kPrepareDeadlineUs = 10'000'000;
constexpr useconds_t kLookAgainUs = 1'000;

std::string lastWords(const std::string& runFolder)
{
    std::string words = readFile(runFolder + "/supervisor.log", 4096).value_or("");
    while (!words.empty() && words.back() == '\n')
        words.pop_back();
    return words.empty() ? "it left no word" : words;
}

} // namespace

Outcome<PreparedRun> PreparedRun::prepare(const JobText& job)
{
    const auto runs = runsFolder();
    if (!runs)
        return std::unexpected(runs.error());
    const auto nodeLock = NodeLock::take(*runs);
    if (!nodeLock)
        return std::unexpected(nodeLock.error());
    PreparedRun run(*runs + "/" + job.job.run);
    const bool exists = ::access(jobPath(run.m_folder).c_str(), F_OK) == 0;
    const auto done = exists ? run.joinEarlier(job, *runs) : run.start(job, *runs);
    if (!done)
        return std::unexpected(done.error());
    return run;
}

Outcome<void> PreparedRun::joinEarlier(const JobText& job, const std::string& runsFolder)
{
    const auto text = readJobText(m_folder);
    const auto earlier = text ? parseJob(*text) : Outcome<Job>(std::unexpected(text.error()));
    if (!earlier)
        return failed("exists",
                      "there is another run " + job.job.run + " whose job can't be read: " + earlier.error().text);
    const RunStatus status = runStatus(m_folder);
    if (*text == job.text) {
        if (status.standing == RunStanding::Lost && status.phase.phase == "prepared")
            return failed("lost", "the supervisor on " + hostName() + " was killed before it started a rank");
        m_supervisor = status.supervisor;
        m_launched = status.standing != RunStanding::Running || status.phase.phase != "prepared";
        return {};
    }
    if (job.job.attempt <= earlier->attempt)
        return failed("exists", "there is a run " + job.job.run + ", attempt " + std::to_string(earlier->attempt) +
                                    ", of another job on " + hostName());
    if (status.standing == RunStanding::Running)
        return failed("busy", "attempt " + std::to_string(earlier->attempt) + " of the run " + job.job.run +
                                  " is still running on " + hostName() + "; stop it first");
    return start(job, runsFolder);
}

Outcome<void> PreparedRun::start(const JobText& job, const std::string& runsFolder)
{
    const auto bundles = UseLocks::take(job.job);
    if (!bundles)
        return std::unexpected(bundles.error());
    if (const auto checked = checkJob(job.job, runsFolder); !checked)
        return checked;
    if (const auto wanted = checkStillWanted(m_folder); !wanted)
        return wanted;
    const bool fresh = ::access(m_folder.c_str(), F_OK) != 0;
    auto done = ensurePrivateFolder(m_folder);
    const std::uint64_t before = done ? m_reader.size() : 0;
    if (done)
        done = m_reader.seek(before);
    if (done)
        done = replaceFile(jobPath(m_folder), job.text);
    if (done)
        done = copyFiles(job.job, m_folder);
    if (done)
        done = startSupervisor(job.job, m_folder);
    if (done)
        done = waitForPhase({"prepared"}, monotonicUs() + kPrepareDeadlineUs);
    if (!done && fresh && !RunLock::holder(m_folder)) {
        std::error_code ignored; // what stays is seen by `list`
        std::filesystem::remove_all(m_folder, ignored);
    }
    return done;
}

Outcome<void> PreparedRun::waitForPhase(std::initializer_list<std::string_view> phases, std::int64_t deadlineUs)
{
    const std::int64_t begun = monotonicUs();
    constexpr std::int64_t kLockDeadlineUs = 2'000'000; // a supervisor just forked has not locked yet
    while (true) {
        const auto holder = RunLock::holder(m_folder);
        if (holder)
            m_supervisor = *holder;
        readPhases();
        if (std::ranges::find(phases, m_phase) != phases.end())
            return {};
        if (!holder && (m_supervisor != 0 || monotonicUs() - begun > kLockDeadlineUs))
            return failed("lost", "the supervisor on " + hostName() + " came to an end: " + lastWords(m_folder));
        if (monotonicUs() > deadlineUs)
            return failed("io", "the supervisor on " + hostName() + " did not come to \"" +
                                    std::string(*phases.begin()) + "\" in time");
        ::usleep(kLookAgainUs);
    }
}

void PreparedRun::waitForEnd(std::int64_t deadlineUs) const
{
    while (RunLock::holder(m_folder) && monotonicUs() < deadlineUs)
        ::usleep(kLookAgainUs);
}

void PreparedRun::readPhases()
{
    std::string bytes;
    while (true) {
        bytes.clear();
        const auto got = m_reader.read(bytes);
        if (!got || *got == 0)
            return;
        m_decoder.feed(bytes, [&](const wire::RecordView& record) {
            if (record.kind == wire::kind::kPhase && record.rank == wire::kNode)
                m_phase = record.text("phase");
        });
    }
}

} // namespace lockstep::agent
