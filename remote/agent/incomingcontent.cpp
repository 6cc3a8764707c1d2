// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/contentstore.h"

#include "remote/agent/answer.h"
#include "remote/agent/xxhex.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

namespace lockstep::agent {

namespace {

constexpr std::uint64_t kKeptFrom = 256ULL << 10; // smaller frames are sent again: less than a second on any line
constexpr std::size_t kReplayBytes = std::size_t{1} << 20;

struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

} // namespace

struct IncomingContent::State {
    BundleFile file;
    Frame frame;
    std::string target, aside, part, framePath;
    Fd to;
    Fd kept; // the frame's bytes so far; not open: it is small, or another agent keeps the same one
    bool wrong = false;
    std::unique_ptr<ZSTD_DCtx, FreeContext> context{ZSTD_createDCtx()};
    std::vector<char> out = std::vector<char>(ZSTD_DStreamOutSize());
    XXH3_state_t hash; // wants 64-byte alignment, which C++17's new gives
    std::uint64_t bytes = 0;
    bool frameEnded = false;

    [[nodiscard]] std::unexpected<Failure> refused(const std::string& why)
    {
        wrong = true;
        return failed("protocol", "the content of " + file.path + " " + why);
    }
    [[nodiscard]] std::unexpected<Failure> unwritten(const std::string& what)
    {
        const auto failure = failedSystemCall(what);
        wrong = failure.error().code == "disk"; // a full disk gets back what we took of it
        return failure;
    }
};

Outcome<IncomingContent> IncomingContent::open(const ContentStore& store, const BundleFile& file, const Frame& frame)
{
    auto state = std::make_unique<State>();
    state->file = file;
    state->frame = frame;
    state->target = store.contentPath(file);
    state->part = store.keptPath(file);
    state->framePath = store.framePath(file.hash);
    if (frame.bytes >= kKeptFrom || frame.from > 0 || frame.after == FrameAfter::Keep) {
        Fd kept(::open(state->part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (kept.isOpen() && ::flock(kept.get(), LOCK_EX | LOCK_NB) == 0)
            state->kept = std::move(kept);
    }
    // Under the lock the half content of an agent that was killed is ours; else every agent has its own.
    state->aside = state->target + (state->kept.isOpen() ? ".new" : "." + std::to_string(::getpid()));
    ::unlink(state->aside.c_str());
    state->to = Fd(::open(state->aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!state->to.isOpen())
        return failedSystemCall("make " + state->aside);
    XXH3_128bits_reset(&state->hash);
    IncomingContent content(std::move(state));
    if (const auto replayed = content.replay(frame.from); !replayed)
        return std::unexpected(replayed.error());
    return content;
}

IncomingContent::IncomingContent(std::unique_ptr<State> state) : m_state(std::move(state)) {}
IncomingContent::IncomingContent(IncomingContent&&) noexcept = default;

IncomingContent::~IncomingContent()
{
    if (!m_state)
        return;
    if (!m_state->aside.empty())
        ::unlink(m_state->aside.c_str());
    if (m_state->wrong && m_state->kept.isOpen())
        ::unlink(m_state->part.c_str());
}

// The bytes that came before the cut go through the decompressor again: its state died with the agent that had it.
Outcome<void> IncomingContent::replay(std::uint64_t bytes)
{
    State& state = *m_state;
    if (!state.kept.isOpen())
        return bytes == 0 ? Outcome<void>() : failed("busy", "another agent keeps " + state.part);
    if (::ftruncate(state.kept.get(), static_cast<off_t>(bytes)) != 0)
        return failedSystemCall("cut " + state.part);
    std::vector<char> piece(kReplayBytes);
    for (std::uint64_t left = bytes; left > 0;) {
        const ssize_t got = ::read(state.kept.get(), piece.data(),
                                   static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), left)));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return state.refused("was kept shorter than was said");
        if (const auto unfolded = unfold({piece.data(), static_cast<std::size_t>(got)}); !unfolded)
            return unfolded;
        left -= static_cast<std::uint64_t>(got);
    }
    return {};
}

Outcome<void> IncomingContent::add(std::string_view compressed)
{
    State& state = *m_state;
    if (state.kept.isOpen() && !writeAll(state.kept.get(), compressed))
        return state.unwritten("write " + state.part);
    return unfold(compressed);
}

Outcome<void> IncomingContent::unfold(std::string_view compressed)
{
    State& state = *m_state;
    ZSTD_inBuffer input{compressed.data(), compressed.size(), 0};
    bool more = true;
    while (more) {
        ZSTD_outBuffer output{state.out.data(), state.out.size(), 0};
        const std::size_t rest = ZSTD_decompressStream(state.context.get(), &output, &input);
        if (ZSTD_isError(rest) != 0)
            return state.refused(std::string("is no zstd frame: ") + ZSTD_getErrorName(rest));
        state.frameEnded = rest == 0;
        state.bytes += output.pos;
        if (state.bytes > state.file.size) // never trusted: some bytes can unfold to any size
            return state.refused("is longer than its " + std::to_string(state.file.size) + " bytes");
        XXH3_128bits_update(&state.hash, state.out.data(), output.pos);
        if (!writeAll(state.to.get(), {state.out.data(), output.pos}))
            return state.unwritten("write " + state.aside);
        more = input.pos < input.size || output.pos == output.size;
    }
    return {};
}

Outcome<void> IncomingContent::finish()
{
    State& state = *m_state;
    if (!state.frameEnded || state.bytes != state.file.size)
        return state.refused("came to " + std::to_string(state.bytes) + " of " + std::to_string(state.file.size) +
                             " bytes");
    if (const std::string hash = hexOf(XXH3_128bits_digest(&state.hash)); hash != state.file.hash)
        return state.refused("has the hash " + hash + ", not " + state.file.hash);
    if (::fchmod(state.to.get(), state.file.program ? 0755 : 0644) != 0 || ::fsync(state.to.get()) != 0 ||
        ::rename(state.aside.c_str(), state.target.c_str()) != 0)
        return state.unwritten("put " + state.target + " in place");
    state.aside.clear();
    if (!state.kept.isOpen())
        return {};
    if (state.frame.after == FrameAfter::Keep)
        ::rename(state.part.c_str(), state.framePath.c_str()); // a relay that lacks it compresses anew
    else
        ::unlink(state.part.c_str());
    return {};
}

} // namespace lockstep::agent
