// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/launch.h"

#include "core/wire/decoder.h"
#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/control.h"
#include "remote/agent/folders.h"
#include "remote/agent/input.h"
#include "remote/agent/preparedrun.h"
#include "remote/agent/stop.h"

#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kJobDeadlineUs = 60'000'000;   // a job of some megabytes over a slow link
constexpr std::int64_t kStartDeadlineUs = 30'000'000; // starting a program from a slow shared disk
constexpr std::int64_t kEndDeadlineUs = 5'000'000;    // of a supervisor that was told to abandon
constexpr std::int64_t kRemovalUs = 1'000'000;        // of a run's folder by a supervisor that ends
constexpr useconds_t kLookAgainUs = 1'000;

Outcome<JobText> readJob(Input& input)
{
    const std::int64_t deadline = monotonicUs() + kJobDeadlineUs;
    JobReader reader;
    JobText result;
    std::string line;
    std::vector<wire::Field> fields;
    while (true) {
        const auto answer = input.readLine(line, deadline);
        if (!answer)
            return std::unexpected(answer.error());
        if (*answer != Input::Answer::Line)
            return failed("protocol", "the job came to no end on standard input");
        wire::RecordView record;
        if (!wire::decodeLine(line, record, fields))
            return failed("protocol", "a line of the job is no record: " + line.substr(0, 200));
        result.text += line + "\n";
        if (result.text.size() > kMaxJobBytes)
            return failed("bad_job", "the job is larger than 32 MiB");
        const auto state = reader.take(record);
        if (!state)
            return std::unexpected(state.error());
        if (*state == JobReader::State::Complete)
            break;
    }
    result.job = reader.job();
    return result;
}

std::string controlRecord(std::string_view kind)
{
    std::string record;
    wire::Encoder encoder(record);
    encoder.begin(kind, wire::kNode, monotonicUs()).field("owner", ::getpid()).end();
    return record;
}

int say(int out, std::string_view kind, pid_t supervisor)
{
    std::string record;
    wire::Encoder encoder(record);
    encoder.begin(kind, wire::kNode, monotonicUs());
    if (supervisor > 0)
        encoder.field("pid", supervisor);
    encoder.end();
    writeAll(out, record);
    return 0;
}

enum class Decision { Go, Abandon, Expired };

Outcome<Decision> waitForDecision(Input& input, int holdS)
{
    const std::int64_t deadline = monotonicUs() + std::int64_t{holdS} * 1'000'000;
    std::string line;
    std::vector<wire::Field> fields;
    while (true) {
        const auto answer = input.readLine(line, deadline);
        if (!answer)
            return std::unexpected(answer.error());
        if (*answer == Input::Answer::Timeout)
            return Decision::Expired;
        if (*answer == Input::Answer::End)
            return Decision::Abandon;
        wire::RecordView record;
        if (!wire::decodeLine(line, record, fields))
            continue;
        if (record.kind == "go")
            return Decision::Go;
        if (record.kind == "abandon")
            return Decision::Abandon;
    }
}

void tellToAbandon(PreparedRun& run)
{
    // If it does not hear us, its own hold time ends it.
    if (sendControl(run.folder(), controlRecord("abandon")))
        run.waitForEnd(monotonicUs() + kEndDeadlineUs);
}

int abandon(PreparedRun& run, Decision decision, int holdS, int out)
{
    tellToAbandon(run);
    if (decision == Decision::Expired)
        return answerFailure(
            out, {"abandoned", "no go came in " + std::to_string(holdS) + " s; nothing was started on " + hostName()});
    return say(out, "abandoned", 0);
}

// As a supervisor leaves it that is stopped before a rank of the first attempt is started: without the mark, too.
bool isRemoved(const std::string& runFolder)
{
    const std::int64_t deadline = monotonicUs() + kRemovalUs;
    while (::access(runFolder.c_str(), F_OK) == 0) {
        if (monotonicUs() > deadline)
            return false;
        ::usleep(kLookAgainUs);
    }
    return true;
}

int give(PreparedRun& run, int out)
{
    // A stop that found no supervisor yet has left its mark; one that comes later finds the supervisor.
    if (const auto wanted = checkStillWanted(run.folder()); !wanted) {
        tellToAbandon(run);
        return answerFailure(out, wanted.error());
    }
    auto started = sendControl(run.folder(), controlRecord("go"));
    if (started)
        started = run.waitForPhase({"running", "stopping", "ended"}, monotonicUs() + kStartDeadlineUs);
    if (started)
        return say(out, "launched", run.supervisor());
    if (started.error().code == "lost" && isRemoved(run.folder()))
        return answerFailure(
            out, {"stopped", "the run was stopped on request on " + hostName() + " before its ranks were started"});
    return answerFailure(out, started.error());
}

} // namespace

int runLaunch(const std::string& run, int in, int out)
{
    Input input(in);
    const auto job = readJob(input);
    if (!job)
        return answerFailure(out, job.error());
    if (job->job.run != run)
        return answerFailure(out, {"bad_job", "the job is of the run " + job->job.run + ", not of " + run});
    auto prepared = PreparedRun::prepare(*job);
    if (!prepared)
        return answerFailure(out, prepared.error());
    if (prepared->isLaunched())
        return say(out, "launched", prepared->supervisor());
    if (const auto claimed = sendControl(prepared->folder(), controlRecord("claim")); !claimed)
        return answerFailure(out, claimed.error());
    say(out, "prepared", prepared->supervisor());

    const auto decision = waitForDecision(input, job->job.holdS);
    if (!decision)
        return answerFailure(out, decision.error());
    if (*decision == Decision::Go)
        return give(*prepared, out);
    return abandon(*prepared, *decision, job->job.holdS, out);
}

} // namespace lockstep::agent
