// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/spooltail.h"

#include "core/wire/decoder.h"
#include "core/wire/kinds.h"
#include "remote/agent/fd.h"
#include "remote/agent/runlock.h"
#include "remote/agent/segment.h"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::uint64_t kTailBytes = 256 * 1024;

std::string readTail(const std::string& runFolder)
{
    int index = 0;
    while (findSegment(runFolder, index + 1))
        ++index;
    const Fd file(::open(segmentPath(runFolder, index).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    const off_t end = file.isOpen() ? ::lseek(file.get(), 0, SEEK_END) : 0;
    if (end <= 0)
        return {};
    std::string bytes(std::min(kTailBytes, static_cast<std::uint64_t>(end)), '\0');
    const ssize_t got = ::pread(file.get(), bytes.data(), bytes.size(), end - static_cast<off_t>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return bytes;
}

int clampedCount(const wire::RecordView& record, std::string_view key)
{
    return static_cast<int>(std::clamp<std::int64_t>(record.integer(key).value_or(0), 0, 1'000'000));
}

} // namespace

const char* toString(RunStanding standing)
{
    switch (standing) {
    case RunStanding::Running:
        return "running";
    case RunStanding::Ended:
        return "ended";
    case RunStanding::Lost:
        return "lost";
    }
    return "lost";
}

NodePhase lastPhase(const std::string& runFolder)
{
    NodePhase phase;
    wire::Decoder decoder;
    decoder.feed(readTail(runFolder), [&](const wire::RecordView& record) {
        phase.last = false;
        if (record.kind != wire::kind::kPhase || record.rank != wire::kNode)
            return;
        phase.phase = record.text("phase");
        phase.reason = record.text("reason");
        phase.gone = clampedCount(record, "gone");
        phase.left = clampedCount(record, "left");
        phase.last = true;
    });
    if (!decoder.pending().empty())
        phase.last = false;
    return phase;
}

RunStatus runStatus(const std::string& runFolder)
{
    RunStatus status;
    const auto holder = RunLock::holder(runFolder);
    status.phase = lastPhase(runFolder); // after the lock: a supervisor that ends now has written its last record
    status.supervisor = holder.value_or(0);
    if (holder)
        status.standing = RunStanding::Running;
    else if (status.phase.phase == "ended" && status.phase.last)
        status.standing = RunStanding::Ended;
    return status;
}

} // namespace lockstep::agent
