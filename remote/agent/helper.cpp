// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/helper.h"

#include "remote/agent/answer.h"
#include "remote/agent/pipeturn.h"
#include "remote/agent/segment.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr int kBackgroundNice = 10;
constexpr char kEndMark = '.'; // the report's last byte: without it the child was cut off

std::string reportText(const SweepResult& result)
{
    std::string text;
    const auto add = [&](char sign, const std::vector<ProcessId>& processes) {
        for (const ProcessId& process : processes)
            text += sign + std::to_string(process.pid) + ":" + std::to_string(process.startTicks) + "\n";
    };
    add('g', result.gone);
    add('l', result.left);
    return text + kEndMark;
}

SweepProcess::Report parseReport(std::string_view text)
{
    SweepProcess::Report report;
    report.whole = text.ends_with(kEndMark);
    while (!text.empty() && text[0] != kEndMark) {
        const std::string_view line = text.substr(0, text.find('\n'));
        const char* const end = line.data() + line.size();
        ProcessId id;
        const auto pid = std::from_chars(line.data() + 1, end, id.pid);
        if (pid.ec == std::errc{} && pid.ptr != end &&
            std::from_chars(pid.ptr + 1, end, id.startTicks).ec == std::errc{})
            (line[0] == 'g' ? report.gone : report.left).push_back(id);
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return report;
}

} // namespace

pid_t forkCompression(const std::string& runFolder, int segment)
{
    const pid_t pid = ::fork();
    if (pid != 0)
        return std::max(pid, 0);
    [[maybe_unused]] const int nice = ::nice(kBackgroundNice);
    ::_exit(compressSegment(runFolder, segment) ? 0 : 1); // a failure leaves the plain segment, which is as good
}

SweepProcess::SweepProcess(const SweepTarget& target, std::chrono::milliseconds grace)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return;
    m_pipe = Fd(ends[0]);
    const Fd write(ends[1]);
    ::fcntl(m_pipe.get(), F_SETFL, O_NONBLOCK);
    const pid_t pid = ::fork();
    if (pid == 0) {
        writeAll(write.get(), reportText(sweep(target, grace)));
        ::_exit(0);
    }
    m_pid = std::max(pid, 0); // without a process the pipe ends at once, and the report is not whole
}

SweepProcess::~SweepProcess()
{
    if (m_pid > 0)
        ::kill(m_pid, SIGKILL); // our child, not yet waited for: the pid is its own
}

std::optional<SweepProcess::Report> SweepProcess::readable()
{
    const PipeState state = readTurn(m_pipe, [&](std::string_view bytes) { m_text.append(bytes); });
    if (state != PipeState::Ended)
        return std::nullopt;
    m_pipe.reset();
    return parseReport(m_text);
}

} // namespace lockstep::agent
