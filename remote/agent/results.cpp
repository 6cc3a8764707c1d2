// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/results.h"

#include "core/wire/decoder.h"
#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/filehash.h"
#include "remote/agent/input.h"
#include "remote/agent/resultfiles.h"
#include "remote/agent/runlock.h"
#include "remote/agent/runslist.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <unistd.h>
#include <vector>

namespace lockstep::agent {

namespace {

constexpr int kLookMs = 1'000;
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
constexpr std::size_t kMostPatterns = 256;
constexpr std::size_t kMostKnown = 100'000;

struct Known { // of a file that the desktop has, whole or in part
    std::string hash;
    std::uint64_t bytes = 0;
};

struct Asked {
    std::vector<std::string> patterns;
    std::map<std::string, Known> known;
};

Outcome<Asked> readWanted(Input& input)
{
    Asked asked;
    const auto read = readAsked(input, "what is wanted", [&asked](const wire::RecordView& record) {
        if (record.kind == "glob" && asked.patterns.size() < kMostPatterns)
            asked.patterns.push_back(record.text("pattern"));
        if (record.kind == "have" && asked.known.size() < kMostKnown)
            asked.known[record.text("path")] = {record.text("hash"), static_cast<std::uint64_t>(std::max<std::int64_t>(
                                                                         0, record.integer("bytes").value_or(0)))};
    });
    if (!read)
        return std::unexpected(read.error());
    return asked;
}

class Sending {
public:
    Sending(ResultFiles files, Asked asked, int out) : m_files(std::move(files)), m_asked(std::move(asked)), m_out(out)
    {
    }

    // false: the desktop is gone
    [[nodiscard]] bool send(const std::vector<ResultFile>& files)
    {
        return std::ranges::all_of(files, [this](const ResultFile& file) { return sendOne(file); });
    }
    [[nodiscard]] bool sendWhole() { return send(m_files.whole()); }
    [[nodiscard]] bool sendLast() { return send(m_files.last()); }

    [[nodiscard]] bool say(std::string_view kind) const
    {
        std::string record;
        wire::Encoder(record).begin(kind, wire::kNode, monotonicUs()).field("files", m_sent).end();
        return writeAll(m_out, record);
    }

private:
    [[nodiscard]] bool sendOne(const ResultFile& file)
    {
        const auto hashed = hashFile(file.file);
        if (!hashed || hashed->bytes != file.size)
            return true; // it changes or went: the next look decides
        const auto known = m_asked.known.find(file.path);
        const bool same = known != m_asked.known.end() && known->second.hash == hashed->hash;
        const std::uint64_t from = same ? std::min(known->second.bytes, file.size) : 0;
        m_files.taken(file);
        if (same && from == file.size && file.size > 0)
            return true; // it is there
        std::string record;
        wire::Encoder encoder(record);
        encoder.begin("file", wire::kNode, monotonicUs()).field("path", file.path).field("size", file.size);
        encoder.field("hash", hashed->hash).field("from", from).end();
        ++m_sent;
        return writeAll(m_out, record) && sendBytes(file, from);
    }

    // Exactly the bytes that were announced: a file that shrinks meanwhile is filled up, and its hash is then wrong.
    [[nodiscard]] bool sendBytes(const ResultFile& file, std::uint64_t from) const
    {
        const Fd open(::open(file.file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        std::vector<char> piece(kPieceBytes);
        for (std::uint64_t at = from; at < file.size;) {
            const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), file.size - at));
            const ssize_t got = open.isOpen() ? ::pread(open.get(), piece.data(), wanted, static_cast<off_t>(at)) : 0;
            if (got <= 0)
                std::fill_n(piece.begin(), wanted, '\0');
            const std::size_t bytes = got > 0 ? static_cast<std::size_t>(got) : wanted;
            if (!writeAll(m_out, {piece.data(), bytes}))
                return false;
            at += bytes;
        }
        return true;
    }

    ResultFiles m_files;
    Asked m_asked;
    int m_out;
    std::int64_t m_sent = 0;
};

} // namespace

int runResults(const std::string& run, int in, int out)
{
    Input input(in);
    const auto asked = readWanted(input);
    if (!asked)
        return answerFailure(out, asked.error());
    const auto folder = findRun(run);
    if (!folder)
        return answerFailure(out, folder.error());
    auto job = readJob(*folder);
    if (!job)
        return answerFailure(out, job.error());
    Sending sending(ResultFiles(std::move(*job), *folder, asked->patterns), *asked, out);
    while (RunLock::holder(*folder)) {
        if (!sending.sendWhole() || !sending.say("beat"))
            return 1;
        pollfd closed{in, POLLIN, 0};
        std::array<char, 64> bytes{};
        if (::poll(&closed, 1, kLookMs) > 0 && ::read(in, bytes.data(), bytes.size()) <= 0)
            return 0;
    }
    return sending.sendLast() && sending.say("done") ? 0 : 1;
}

} // namespace lockstep::agent
