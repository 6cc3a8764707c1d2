// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/meetingfile.h"

#include "trainer/failure.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace lockstep::trainer {

namespace {

// A FileStore writes pairs of key and value, each after its length as a 32-bit number; its first key is one of its own
// two, or a caller's behind a slash (torch/csrc/distributed/c10d/FileStore.cpp).
constexpr std::array<std::string_view, 3> kFirstKeys{"refcount/", "cleanup/", "/"};
constexpr std::uint32_t kLongestKey = 4096;
constexpr std::size_t kMostNeeded = sizeof(std::uint32_t) + 9; // the length, and the longest of those

bool beginsAsStore(std::string_view bytes)
{
    std::uint32_t length = 0;
    if (bytes.size() < sizeof(length))
        return bytes.empty(); // another rank is writing, or nothing is there yet
    std::memcpy(&length, bytes.data(), sizeof(length));
    const std::string_view key = bytes.substr(sizeof(length));
    return length > 0 && length <= kLongestKey && std::ranges::any_of(kFirstKeys, [&key](std::string_view first) {
               return key.substr(0, first.size()) == first.substr(0, key.size());
           });
}

} // namespace

void checkMeetingFile(const std::string& path)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status))
        return;
    const std::string what = "--init file://" + path + ": ";
    if (!std::filesystem::is_regular_file(status))
        throw Failure(ExitCode::Rendezvous, what + "this is no file; name one that is not there yet");
    std::ifstream file(path, std::ios::binary);
    std::array<char, kMostNeeded> start{};
    file.read(start.data(), start.size());
    if (!beginsAsStore({start.data(), static_cast<std::size_t>(file.gcount())}))
        throw Failure(ExitCode::Rendezvous,
                      what + "this file is something else than a meeting place; name one that is not there yet");
}

} // namespace lockstep::trainer
