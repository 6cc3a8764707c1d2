// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/idxfile.h"

#include "trainer/failure.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace lockstep::trainer {

namespace {

constexpr std::uint32_t kUnsignedByte = 8;
constexpr unsigned kReadBuffer = 1 << 18;
constexpr std::uint64_t kPiece = 1 << 24;
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 30; // a header that claims more is broken

struct CloseGz {
    void operator()(gzFile_s* file) const { gzclose(file); }
};
using GzFile = std::unique_ptr<gzFile_s, CloseGz>;

[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw Failure(ExitCode::Data, "cannot read " + path + ": " + why);
}

// Reads until `bytes` are there or the file ends; zlib gives a broken stream away here.
std::uint64_t readUpTo(gzFile_s* file, const std::string& path, std::uint8_t* into, std::uint64_t bytes)
{
    std::uint64_t done = 0;
    while (done < bytes) {
        const int got = gzread(file, into + done, static_cast<unsigned>(std::min(bytes - done, kPiece)));
        int code = 0;
        if (got < 0)
            refuse(path, gzerror(file, &code));
        if (got == 0) {
            gzerror(file, &code);
            if (code == Z_BUF_ERROR) // the values may all be there, but not the checksum behind them
                refuse(path, "its compressed data end too early");
            break;
        }
        done += static_cast<std::uint64_t>(got);
    }
    return done;
}

std::uint32_t readHeaderWord(gzFile_s* file, const std::string& path)
{
    std::array<std::uint8_t, 4> big{};
    if (readUpTo(file, path, big.data(), big.size()) != big.size())
        refuse(path, "it ends within its header");
    return std::uint32_t{big[0]} << 24 | std::uint32_t{big[1]} << 16 | std::uint32_t{big[2]} << 8 | big[3];
}

std::vector<std::uint8_t> readValues(gzFile_s* file, const std::string& path, std::uint64_t total)
{
    // Grown with the file, not with the header's claim: a short file must not cost the memory it pretends to need.
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < total) {
        const std::size_t have = bytes.size();
        bytes.resize(have + std::min<std::uint64_t>(total - have, kPiece));
        const std::uint64_t wanted = bytes.size() - have;
        const std::uint64_t got = readUpTo(file, path, bytes.data() + have, wanted);
        if (got < wanted)
            refuse(path, "it ends after " + std::to_string(have + got) + " of " + std::to_string(total) + " values");
    }
    std::uint8_t beyond = 0;
    if (readUpTo(file, path, &beyond, 1) != 0)
        refuse(path, "it is longer than the " + std::to_string(total) + " values its header says");
    return bytes;
}

} // namespace

IdxArray readIdx(const std::string& path, std::size_t dimensions)
{
    std::error_code error;
    const std::string name = std::filesystem::exists(path, error) ? path : path + ".gz";
    errno = 0;
    const GzFile file(gzopen(name.c_str(), "rbe"));
    if (!file)
        refuse(name, errno != 0 ? std::strerror(errno) : "out of memory");
    gzbuffer(file.get(), kReadBuffer);

    const std::uint32_t magic = readHeaderWord(file.get(), name);
    if (magic >> 16 != 0)
        refuse(name, "it is no IDX file");
    if ((magic >> 8 & 0xff) != kUnsignedByte)
        refuse(name,
               "its values have type " + std::to_string(magic >> 8 & 0xff) + ", only unsigned bytes (8) are read");
    if ((magic & 0xff) != dimensions)
        refuse(name, "it has " + std::to_string(magic & 0xff) + " dimensions, not " + std::to_string(dimensions));

    IdxArray array;
    std::uint64_t total = 1;
    for (std::size_t i = 0; i < dimensions; ++i) {
        const std::uint64_t size = readHeaderWord(file.get(), name);
        if (size == 0)
            refuse(name, "it holds nothing: dimension " + std::to_string(i) + " is 0");
        if (size > kMostBytes / total)
            refuse(name, "its header claims more than 64 GiB");
        total *= size;
        array.sizes.push_back(static_cast<std::int64_t>(size));
    }
    array.bytes = readValues(file.get(), name, total);
    return array;
}

} // namespace lockstep::trainer
