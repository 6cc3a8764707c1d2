// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/spoolreader.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <numeric>
#include <unistd.h>
#include <zstd.h>

namespace lockstep::agent {

namespace {

constexpr std::size_t kReadBytes = 128 * 1024;

struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

} // namespace

struct SpoolReader::Decompression {
    std::unique_ptr<ZSTD_DCtx, FreeContext> context{ZSTD_createDCtx()};
    std::vector<char> in = std::vector<char>(ZSTD_DStreamInSize());
    std::vector<char> out = std::vector<char>(kReadBytes);
    ZSTD_inBuffer input{nullptr, 0, 0};
    std::uint64_t skip = 0; // bytes before the offset asked for
};

SpoolReader::SpoolReader(std::string runFolder) : m_runFolder(std::move(runFolder)) {}
SpoolReader::~SpoolReader() = default;
SpoolReader::SpoolReader(SpoolReader&&) noexcept = default;
SpoolReader& SpoolReader::operator=(SpoolReader&&) noexcept = default;

Outcome<void> SpoolReader::seek(std::uint64_t offset)
{
    std::uint64_t start = 0;
    for (int index = 0;; ++index) {
        const auto segment = findSegment(m_runFolder, index);
        if (!segment && index == 0 && offset == 0)
            return {}; // nothing written yet
        if (!segment)
            return failed("offset", "the spool has " + std::to_string(start) + " bytes, not " + std::to_string(offset));
        // At the end of a segment stay there: whether it is finished, read() finds out.
        if (offset - start <= segment->bytes)
            return openSegment(index, offset - start);
        start += segment->bytes;
    }
}

Outcome<std::size_t> SpoolReader::read(std::string& out)
{
    if (m_index < 0) {
        if (!findSegment(m_runFolder, 0))
            return 0;
        if (const auto opened = openSegment(0, 0); !opened)
            return std::unexpected(opened.error());
    }
    while (true) {
        auto got = m_decompression ? readCompressed(out) : readPlain(out);
        if (!got || *got > 0 || !findSegment(m_runFolder, m_index + 1))
            return got;
        // There is a next segment, so this one has all its bytes by now: perhaps some since we looked.
        got = m_decompression ? readCompressed(out) : readPlain(out);
        if (!got || *got > 0)
            return got;
        if (const auto opened = openSegment(m_index + 1, 0); !opened)
            return std::unexpected(opened.error());
    }
}

std::uint64_t SpoolReader::size()
{
    auto last = findSegment(m_runFolder, static_cast<int>(m_finished.size()));
    while (last) {
        const auto next = findSegment(m_runFolder, static_cast<int>(m_finished.size()) + 1);
        if (!next)
            break;
        // Asked again: it may have grown between the two questions.
        const auto whole = findSegment(m_runFolder, static_cast<int>(m_finished.size()));
        m_finished.push_back(whole ? whole->bytes : last->bytes);
        last = next;
    }
    return std::accumulate(m_finished.begin(), m_finished.end(), last ? last->bytes : 0);
}

Outcome<void> SpoolReader::openSegment(int index, std::uint64_t skip)
{
    Fd file(::open(segmentPath(m_runFolder, index).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    const bool plain = file.isOpen();
    if (!plain) {
        file = Fd(::open(compressedPath(m_runFolder, index).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!file.isOpen())
            return failedSystemCall("open " + segmentPath(m_runFolder, index));
    }
    m_decompression.reset();
    if (!plain) {
        m_decompression = std::make_unique<Decompression>();
        m_decompression->skip = skip;
    } else if (::lseek(file.get(), static_cast<off_t>(skip), SEEK_SET) < 0) {
        return failedSystemCall("seek in " + segmentPath(m_runFolder, index));
    }
    m_file = std::move(file);
    m_index = index;
    return {};
}

Outcome<std::size_t> SpoolReader::readPlain(std::string& out)
{
    const std::size_t before = out.size();
    out.resize(before + kReadBytes);
    ssize_t got = -1;
    do
        got = ::read(m_file.get(), out.data() + before, kReadBytes);
    while (got < 0 && errno == EINTR);
    out.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0)
        return failedSystemCall("read " + segmentPath(m_runFolder, m_index));
    return static_cast<std::size_t>(got);
}

Outcome<std::size_t> SpoolReader::readCompressed(std::string& out)
{
    Decompression& state = *m_decompression;
    while (true) {
        ZSTD_outBuffer output{state.out.data(), state.out.size(), 0};
        const std::size_t rest = ZSTD_decompressStream(state.context.get(), &output, &state.input);
        if (ZSTD_isError(rest) != 0)
            return failed("io",
                          "a compressed segment of the spool is damaged: " + compressedPath(m_runFolder, m_index));
        const std::uint64_t skipped = std::min<std::uint64_t>(state.skip, output.pos);
        state.skip -= skipped;
        const std::size_t got = output.pos - static_cast<std::size_t>(skipped);
        out.append(state.out.data() + skipped, got);
        if (got > 0)
            return got;
        if (output.pos > 0 || state.input.pos < state.input.size)
            continue;
        const ssize_t more = ::read(m_file.get(), state.in.data(), state.in.size());
        if (more < 0)
            return failedSystemCall("read " + compressedPath(m_runFolder, m_index));
        if (more == 0)
            return 0;
        state.input = {state.in.data(), static_cast<std::size_t>(more), 0};
    }
}

} // namespace lockstep::agent
