// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/records/memoryuse.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kKibibyte = 1024;

std::int64_t bytesAfter(std::string_view text, std::string_view key)
{
    const std::size_t start = text.find(key);
    if (start == std::string_view::npos)
        return 0;
    text.remove_prefix(start + key.size());
    text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
    std::int64_t kibibytes = 0;
    std::from_chars(text.data(), text.data() + text.size(), kibibytes);
    return kibibytes * kKibibyte;
}

} // namespace

MemoryUse processMemory()
{
    std::array<char, 4096> text{}; // the kernel gives the file in one piece
    const int descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return {};
    const ssize_t size = read(descriptor, text.data(), text.size());
    close(descriptor);
    const std::string_view status(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    return {bytesAfter(status, "\nVmRSS:"), bytesAfter(status, "\nVmHWM:")};
}

} // namespace lockstep::trainer
