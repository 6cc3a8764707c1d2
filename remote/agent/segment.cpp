// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/segment.h"

#include "remote/agent/answer.h"
#include "remote/agent/fd.h"

#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#include <zstd.h>

namespace lockstep::agent {

namespace {

constexpr int kCompressionLevel = 3;
constexpr std::size_t kHeaderBytes = 18; // ZSTD_FRAMEHEADERSIZE_MAX, which zstd.h shows to static users only

struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

std::optional<std::uint64_t> uncompressedSize(const std::string& path)
{
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file.isOpen())
        return std::nullopt;
    char header[kHeaderBytes];
    const ssize_t got = ::read(file.get(), header, sizeof header);
    const auto size =
        got > 0 ? ZSTD_getFrameContentSize(header, static_cast<std::size_t>(got)) : ZSTD_CONTENTSIZE_ERROR;
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
        return std::nullopt;
    return size;
}

// Streams `from` into one frame of `to`.
Outcome<void> compressFile(const Fd& from, const Fd& to, std::uint64_t bytes, const std::string& name)
{
    const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kCompressionLevel);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setPledgedSrcSize(context.get(), bytes);
    std::vector<char> in(ZSTD_CStreamInSize());
    std::vector<char> out(ZSTD_CStreamOutSize());
    std::uint64_t done = 0;
    bool last = false;
    while (!last) {
        const ssize_t got = ::read(from.get(), in.data(), in.size());
        if (got < 0)
            return failedSystemCall("read " + name);
        done += static_cast<std::uint64_t>(got);
        last = done >= bytes || got == 0;
        ZSTD_inBuffer input{in.data(), static_cast<std::size_t>(got), 0};
        bool flushed = false;
        while (!flushed) {
            ZSTD_outBuffer output{out.data(), out.size(), 0};
            const std::size_t rest =
                ZSTD_compressStream2(context.get(), &output, &input, last ? ZSTD_e_end : ZSTD_e_continue);
            if (ZSTD_isError(rest) != 0)
                return failed("io", "can't compress " + name + ": " + ZSTD_getErrorName(rest));
            if (!writeAll(to.get(), {out.data(), output.pos}))
                return failedSystemCall("write the compressed form of " + name);
            flushed = last ? rest == 0 : input.pos == input.size;
        }
    }
    return {};
}

} // namespace

std::string segmentPath(const std::string& runFolder, int index)
{
    char name[32];
    std::snprintf(name, sizeof name, "/spool.%06d", index);
    return runFolder + name;
}

std::string compressedPath(const std::string& runFolder, int index)
{
    return segmentPath(runFolder, index) + ".zst";
}

std::optional<SegmentState> findSegment(const std::string& runFolder, int index)
{
    struct stat status {};
    if (::lstat(segmentPath(runFolder, index).c_str(), &status) == 0 && S_ISREG(status.st_mode))
        return SegmentState{static_cast<std::uint64_t>(status.st_size), false};
    // In this order: the compressed file is in place before the plain one goes.
    if (const auto bytes = uncompressedSize(compressedPath(runFolder, index)))
        return SegmentState{*bytes, true};
    return std::nullopt;
}

Outcome<void> compressSegment(const std::string& runFolder, int index)
{
    const std::string plain = segmentPath(runFolder, index);
    const std::string aside = compressedPath(runFolder, index) + ".new";
    const Fd from(::open(plain.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat status {};
    if (!from.isOpen() || ::fstat(from.get(), &status) != 0)
        return failedSystemCall("open " + plain);
    ::unlink(aside.c_str());
    const Fd to(::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!to.isOpen())
        return failedSystemCall("make " + aside);
    auto written = compressFile(from, to, static_cast<std::uint64_t>(status.st_size), plain);
    if (written && ::fsync(to.get()) != 0)
        written = failedSystemCall("write " + aside);
    if (written && ::rename(aside.c_str(), compressedPath(runFolder, index).c_str()) != 0)
        written = failedSystemCall("rename " + aside);
    ::unlink(written ? plain.c_str() : aside.c_str());
    return written;
}

} // namespace lockstep::agent
