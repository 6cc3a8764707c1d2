// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/nccllog.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace lockstep::trainer {

namespace {

constexpr char kLevel[] = "NCCL_DEBUG";
constexpr char kFile[] = "NCCL_DEBUG_FILE";
constexpr std::string_view kChannel = "NCCL INFO Channel ";
constexpr std::string_view kVia = " via ";
constexpr std::streamsize kMostRead = 16 << 20; // of a log that the user lets grow

std::string& madeFile() // by switchOn; empty: none
{
    static std::string path;
    return path;
}

bool isNumber(std::string_view text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "NET/IB/0/GDRDMA" without the adapter's number.
std::string withoutNumbers(std::string_view way)
{
    std::string text;
    while (!way.empty()) {
        const std::string_view part = way.substr(0, way.find('/'));
        way.remove_prefix(std::min(part.size() + 1, way.size()));
        if (!isNumber(part))
            text += (text.empty() ? "" : "/") + std::string(part);
    }
    return text;
}

// What NCCL puts for %h and %p.
std::string expanded(const std::string& pattern)
{
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[++i] : '\0';
        if (next == 'p') {
            text += std::to_string(getpid());
        } else if (next == 'h') {
            std::array<char, 256> host{};
            gethostname(host.data(), host.size() - 1);
            text += std::string(host.data()).substr(0, std::string_view(host.data()).find('.'));
        } else if (next == '%') {
            text += '%';
        } else {
            text += pattern[i];
        }
    }
    return text;
}

std::string contentOf(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(kMostRead), '\0');
    file.read(text.data(), kMostRead);
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

} // namespace

std::string ncclTransports(std::string_view log)
{
    std::vector<std::string> ways;
    while (!log.empty()) {
        const std::string_view line = log.substr(0, log.find('\n'));
        log.remove_prefix(std::min(line.size() + 1, log.size()));
        const std::size_t via = line.rfind(kVia);
        if (line.find(kChannel) == std::string_view::npos || via == std::string_view::npos)
            continue;
        std::string_view way = line.substr(via + kVia.size());
        way = way.substr(0, way.find_first_of(" \r("));
        if (const std::string text = withoutNumbers(way); std::ranges::find(ways, text) == ways.end())
            ways.push_back(text);
    }
    std::string text;
    for (const std::string& way : ways)
        text += (text.empty() ? "" : ", ") + way;
    return text;
}

void NcclLog::switchOn()
{
    if (std::getenv(kLevel) != nullptr || std::getenv(kFile) != nullptr)
        return;
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    madeFile() = ((error ? "." : folder) / ("lockstep-nccl-" + std::to_string(getpid()) + ".log")).string();
    setenv(kLevel, "INFO", 0);
    setenv(kFile, madeFile().c_str(), 0);
}

std::string NcclLog::transports()
{
    const char* pattern = std::getenv(kFile);
    if (pattern == nullptr)
        return "unknown: NCCL_DEBUG writes to the terminal; with NCCL_DEBUG_FILE it is read";
    const std::string path = madeFile().empty() ? expanded(pattern) : madeFile();
    std::string found = ncclTransports(contentOf(path));
    std::error_code ignored;
    if (!madeFile().empty()) // NCCL goes on writing into what has no name any more
        std::filesystem::remove(path, ignored);
    return found.empty() ? "unknown: NCCL's log names no channel" : found;
}

} // namespace lockstep::trainer
