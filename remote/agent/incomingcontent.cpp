// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/contentstore.h"

#include "remote/agent/answer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lockstep::agent {

namespace {

struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

std::string hexOf(const XXH128_hash_t& hash)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    std::string text;
    for (const unsigned char byte : canonical.digest) {
        text.push_back("0123456789abcdef"[byte >> 4]);
        text.push_back("0123456789abcdef"[byte & 15]);
    }
    return text;
}

} // namespace

struct IncomingContent::State {
    BundleFile file;
    std::string target;
    std::string aside;
    Fd to;
    std::unique_ptr<ZSTD_DCtx, FreeContext> context{ZSTD_createDCtx()};
    std::vector<char> out = std::vector<char>(ZSTD_DStreamOutSize());
    XXH3_state_t hash; // wants 64-byte alignment, which C++17's new gives
    std::uint64_t bytes = 0;
    bool frameEnded = false;
};

Outcome<IncomingContent> IncomingContent::open(const ContentStore& store, const BundleFile& file)
{
    auto state = std::make_unique<State>();
    state->file = file;
    state->target = store.contentPath(file);
    state->aside = state->target + "." + std::to_string(::getpid());
    ::unlink(state->aside.c_str());
    state->to = Fd(::open(state->aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!state->to.isOpen())
        return failedSystemCall("make " + state->aside);
    XXH3_128bits_reset(&state->hash);
    return IncomingContent(std::move(state));
}

IncomingContent::IncomingContent(std::unique_ptr<State> state) : m_state(std::move(state)) {}
IncomingContent::IncomingContent(IncomingContent&&) noexcept = default;

IncomingContent::~IncomingContent()
{
    if (m_state && !m_state->aside.empty())
        ::unlink(m_state->aside.c_str());
}

Outcome<void> IncomingContent::add(std::string_view compressed)
{
    State& state = *m_state;
    ZSTD_inBuffer input{compressed.data(), compressed.size(), 0};
    bool more = true;
    while (more) {
        ZSTD_outBuffer output{state.out.data(), state.out.size(), 0};
        const std::size_t rest = ZSTD_decompressStream(state.context.get(), &output, &input);
        if (ZSTD_isError(rest) != 0)
            return failed("protocol",
                          "the content of " + state.file.path + " is no zstd frame: " + ZSTD_getErrorName(rest));
        state.frameEnded = rest == 0;
        state.bytes += output.pos;
        if (state.bytes > state.file.size) // never trusted: some bytes can unfold to any size
            return failed("protocol", "the content of " + state.file.path + " is longer than its " +
                                          std::to_string(state.file.size) + " bytes");
        XXH3_128bits_update(&state.hash, state.out.data(), output.pos);
        if (!writeAll(state.to.get(), {state.out.data(), output.pos}))
            return failedSystemCall("write " + state.aside);
        more = input.pos < input.size || output.pos == output.size;
    }
    return {};
}

Outcome<void> IncomingContent::finish()
{
    State& state = *m_state;
    if (!state.frameEnded || state.bytes != state.file.size)
        return failed("protocol", "the content of " + state.file.path + " came to " + std::to_string(state.bytes) +
                                      " of " + std::to_string(state.file.size) + " bytes");
    if (const std::string hash = hexOf(XXH3_128bits_digest(&state.hash)); hash != state.file.hash)
        return failed("protocol",
                      "the content of " + state.file.path + " has the hash " + hash + ", not " + state.file.hash);
    if (::fchmod(state.to.get(), state.file.program ? 0755 : 0644) != 0 || ::fsync(state.to.get()) != 0 ||
        ::rename(state.aside.c_str(), state.target.c_str()) != 0)
        return failedSystemCall("put " + state.target + " in place");
    state.aside.clear();
    return {};
}

} // namespace lockstep::agent
