// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/procfile.h"

#include "remote/agent/fd.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>

namespace lockstep::agent {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view withoutLeadingBlanks(std::string_view text)
{
    const std::size_t start = text.find_first_not_of(kBlanks);
    return start == std::string_view::npos ? std::string_view{} : text.substr(start);
}

template <typename T>
std::optional<T> leading(std::string_view text)
{
    text = withoutLeadingBlanks(text);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} ? std::optional<T>(value) : std::nullopt;
}

} // namespace

bool preadAll(int fd, std::string& into, std::size_t limit)
{
    constexpr std::size_t kChunk = 4096;
    into.clear();
    while (into.size() < limit) {
        const std::size_t have = into.size();
        into.resize(std::min(limit, have + std::max(kChunk, have)));
        const ssize_t got = ::pread(fd, into.data() + have, into.size() - have, static_cast<off_t>(have));
        if (got < 0 && errno == EINTR) {
            into.resize(have);
            continue;
        }
        into.resize(have + (got > 0 ? static_cast<std::size_t>(got) : 0));
        if (got < 0)
            return false;
        if (got == 0)
            break;
    }
    return true;
}

int openForReading(const std::string& path)
{
    return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

std::string readText(const std::string& path, std::size_t limit)
{
    std::string text;
    const Fd fd(openForReading(path));
    if (!fd.isOpen() || !preadAll(fd.get(), text, limit))
        text.clear();
    return text;
}

std::string readWord(const std::string& path)
{
    return std::string(trimmed(readText(path)));
}

std::string bootId()
{
    return readWord("/proc/sys/kernel/random/boot_id");
}

std::optional<std::int64_t> readNumber(const std::string& path)
{
    return leadingInteger(readText(path));
}

std::string_view trimmed(std::string_view text)
{
    text = withoutLeadingBlanks(text);
    const std::size_t end = text.find_last_not_of(kBlanks);
    return end == std::string_view::npos ? std::string_view{} : text.substr(0, end + 1);
}

std::optional<std::string_view> nextLine(std::string_view& rest)
{
    if (rest.empty())
        return std::nullopt;
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    return line;
}

std::string_view nextWord(std::string_view& rest)
{
    rest = withoutLeadingBlanks(rest);
    const std::size_t end = std::min(rest.find_first_of(kBlanks), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    return word;
}

std::optional<std::int64_t> leadingInteger(std::string_view text)
{
    return leading<std::int64_t>(text);
}

std::optional<double> leadingNumber(std::string_view text)
{
    return leading<double>(text);
}

std::optional<MemInfo> parseMemInfo(std::string_view text)
{
    constexpr std::int64_t kKiB = 1024;
    std::optional<std::int64_t> total;
    std::optional<std::int64_t> available;
    std::int64_t freeAndCached = 0; // kernels before 3.14 do not say MemAvailable
    while (const auto line = nextLine(text)) {
        const std::size_t colon = line->find(':');
        if (colon == std::string_view::npos)
            continue;
        const std::string_view key = line->substr(0, colon);
        const auto value = leadingInteger(line->substr(colon + 1));
        if (!value || *value < 0)
            continue;
        if (key == "MemTotal")
            total = *value * kKiB;
        else if (key == "MemAvailable")
            available = *value * kKiB;
        else if (key == "MemFree" || key == "Buffers" || key == "Cached")
            freeAndCached += *value * kKiB;
    }
    if (!total)
        return std::nullopt;
    return MemInfo{*total, std::min(*total, available.value_or(freeAndCached))};
}

} // namespace lockstep::agent
