// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/lostpeer.h"

#include <algorithm>
#include <array>

namespace lockstep::trainer {

namespace {

constexpr std::array<std::string_view, 11> kSigns{"Connection closed by peer",
                                                  "Connection reset by peer",
                                                  "Broken pipe",
                                                  "Timed out waiting",
                                                  "Application timeout caused",
                                                  "Socket closed",
                                                  "socketTimeout",
                                                  "NCCL communicator was aborted",
                                                  "Watchdog caught collective",
                                                  "ncclRemoteError",
                                                  "Connection was likely closed"};
constexpr std::string_view kTrace = "\nException raised from";
constexpr std::string_view kFrames = "\nframe #";

} // namespace

bool speaksOfLostPeer(std::string_view message)
{
    return std::ranges::any_of(
        kSigns, [message](std::string_view sign) { return message.find(sign) != std::string_view::npos; });
}

std::string oneLine(std::string_view message)
{
    message = message.substr(0, std::min(message.find(kTrace), message.find(kFrames)));
    std::string line(message);
    std::ranges::replace(line, '\n', ' ');
    return line;
}

} // namespace lockstep::trainer
