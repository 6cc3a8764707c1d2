// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/job.h"

#include "core/wire/decoder.h"
#include "remote/agent/contentstore.h"
#include "remote/agent/cpuset.h"
#include "remote/agent/folders.h"

#include <algorithm>
#include <utility>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kMaxGraceS = 24 * 3600;
constexpr std::int64_t kMaxHoldS = 24 * 3600;
constexpr std::int64_t kMinSegmentBytes = 1024;

std::unexpected<Failure> bad(std::string text)
{
    return failed("bad_job", std::move(text));
}

Outcome<void> readNumber(const wire::RecordView& record, std::string_view key, std::int64_t least, std::int64_t most,
                         std::int64_t& value)
{
    const wire::Field* field = record.find(key);
    if (field == nullptr)
        return {};
    const auto number = field->integer();
    if (!number || *number < least || *number > most)
        return bad("the job's " + std::string(key) + " is \"" + field->text() + "\", not a number from " +
                   std::to_string(least) + " to " + std::to_string(most));
    value = *number;
    return {};
}

// What execve can take: no NUL, not too long.
Outcome<void> checkString(const std::string& bytes, const std::string& what)
{
    if (bytes.find('\0') != std::string::npos)
        return bad(what + " contains a NUL byte; no program can be given that");
    if (bytes.size() > kMaxStringBytes)
        return bad(what + " is longer than 128 KiB; the system takes no longer one");
    return {};
}

} // namespace

std::string_view RankJob::variable(std::string_view name) const
{
    for (const std::string& entry : env) {
        if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name))
            return std::string_view(entry).substr(name.size() + 1);
    }
    return {};
}

Outcome<JobReader::State> JobReader::take(const wire::RecordView& record)
{
    if (record.find("cut") != nullptr)
        return bad("a " + std::string(record.kind) + " record of the job came cut; send long values in parts (more=)");
    Outcome<void> taken;
    if (record.kind == "job")
        taken = takeJob(record);
    else if (record.kind == "rank")
        taken = takeRank(record);
    else if (record.kind == "arg")
        taken = takeArgument(record);
    else if (record.kind == "env")
        taken = takeVariable(record);
    else if (record.kind == "end")
        return complete();
    if (!taken)
        return std::unexpected(taken.error());
    return State::More;
}

Outcome<void> JobReader::takeJob(const wire::RecordView& record)
{
    m_job.run = record.text("run");
    m_job.node = record.text("node");
    m_job.cwd = record.text("cwd");
    if (!isRunId(m_job.run))
        return bad("the run's name \"" + m_job.run + "\" is not one (letters, digits, . _ -)");
    m_job.files = record.text("files");
    if (!m_job.files.empty() && m_job.files[0] != '/')
        return bad("the folder of the run's files \"" + m_job.files + "\" is not an absolute path");
    if (!m_job.cwd.empty() && m_job.cwd[0] != '/' && (m_job.files.empty() || !isBundlePath(m_job.cwd)))
        return bad("the working directory \"" + m_job.cwd + "\" is not an absolute path");
    for (const auto& [path, what] : {std::pair{m_job.cwd, "the working directory"}, {m_job.files, "the files' folder"}})
        if (const auto checked = checkString(path, what); !checked)
            return checked;

    std::int64_t attempt = m_job.attempt, grace = m_job.graceS, hold = m_job.holdS;
    auto segment = static_cast<std::int64_t>(m_job.segmentBytes);
    for (const auto& read :
         {readNumber(record, "attempt", 1, 1'000'000, attempt), readNumber(record, "grace", 0, kMaxGraceS, grace),
          readNumber(record, "hold", 1, kMaxHoldS, hold),
          readNumber(record, "segment", kMinSegmentBytes, static_cast<std::int64_t>(kSegmentBytes), segment)}) {
        if (!read)
            return read;
    }
    if (record.integer("share_devices") == 1)
        m_job.devices = DeviceUse::Shared;
    m_job.attempt = static_cast<int>(attempt);
    m_job.graceS = static_cast<int>(grace);
    m_job.holdS = static_cast<int>(hold);
    m_job.segmentBytes = static_cast<std::uint64_t>(segment);
    m_named = true;
    return {};
}

Outcome<void> JobReader::takeRank(const wire::RecordView& record)
{
    if (record.rank < 0)
        return bad("a rank record names no rank");
    if (m_job.ranks.size() == kMaxRanks)
        return bad("more than " + std::to_string(kMaxRanks) + " ranks on one node");
    if (std::ranges::any_of(m_job.ranks, [&](const RankJob& rank) { return rank.rank == record.rank; }))
        return bad("rank " + std::to_string(record.rank) + " is there twice");
    RankJob rank;
    rank.rank = record.rank;
    rank.local = static_cast<int>(std::clamp<std::int64_t>(record.integer("local").value_or(0), 0, kMaxRanks));
    rank.cpus = record.text("cpus");
    if (!rank.cpus.empty() && !CpuSet::parse(rank.cpus))
        return bad("the CPUs of rank " + std::to_string(rank.rank) + " are \"" + rank.cpus.substr(0, 80) +
                   "\"; they are written 0-3,8-11");
    m_job.ranks.push_back(std::move(rank));
    return {};
}

Outcome<void> JobReader::takeArgument(const wire::RecordView& record)
{
    if (m_job.ranks.empty() || m_job.ranks.back().rank != record.rank)
        return bad("an argument of rank " + std::to_string(record.rank) + " does not follow its rank record");
    auto& argv = m_job.ranks.back().argv;
    if (record.find("more") == nullptr)
        argv.push_back(record.text("v"));
    else if (!argv.empty())
        argv.back() += record.text("more");
    else
        return bad("rank " + std::to_string(record.rank) + ": a part of an argument without its beginning");
    return checkString(argv.back(),
                       "argument " + std::to_string(argv.size() - 1) + " of rank " + std::to_string(record.rank));
}

Outcome<void> JobReader::takeVariable(const wire::RecordView& record)
{
    if (m_job.ranks.empty() || m_job.ranks.back().rank != record.rank)
        return bad("a variable of rank " + std::to_string(record.rank) + " does not follow its rank record");
    auto& env = m_job.ranks.back().env;
    if (record.find("more") != nullptr) {
        if (env.empty())
            return bad("rank " + std::to_string(record.rank) + ": a part of a variable without its beginning");
        env.back() += record.text("more");
    } else {
        const std::string name = record.text("name");
        if (name.empty() || name.find('=') != std::string::npos)
            return bad("\"" + name + "\" can't be the name of a variable of rank " + std::to_string(record.rank));
        env.push_back(name + "=" + record.text("v"));
    }
    const std::string name = env.back().substr(0, env.back().find('='));
    return checkString(env.back(), "the variable " + name + " of rank " + std::to_string(record.rank));
}

Outcome<JobReader::State> JobReader::complete() const
{
    if (!m_named)
        return bad("the job has no job record");
    if (m_job.ranks.empty())
        return bad("the job has no rank");
    for (const RankJob& rank : m_job.ranks) {
        if (rank.argv.empty())
            return bad("rank " + std::to_string(rank.rank) + " has no argument, not even a program");
    }
    return State::Complete;
}

Outcome<Job> parseJob(std::string_view text)
{
    JobReader reader;
    Outcome<JobReader::State> state = JobReader::State::More;
    wire::Decoder decoder;
    decoder.feed(text, [&](const wire::RecordView& record) {
        if (state && *state == JobReader::State::More)
            state = reader.take(record);
    });
    if (!state)
        return std::unexpected(state.error());
    if (*state == JobReader::State::More)
        return bad("the job has no end");
    return reader.job();
}

} // namespace lockstep::agent
