// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/heads.h"

#include "trainer/failure.h"

#include <algorithm>

namespace lockstep::trainer {

std::int64_t headsFor(std::int64_t asked, std::int64_t width, std::int64_t usual)
{
    const std::int64_t heads = asked > 0 ? asked : std::max<std::int64_t>(1, width / usual);
    if (width % heads != 0)
        throw Failure(ExitCode::Options, "--width " + std::to_string(width) + " is not divisible by " +
                                             std::to_string(heads) + " heads; choose another --width or --heads");
    return heads;
}

void refuseOddHead(std::int64_t width, std::int64_t heads)
{
    if (width / heads % 2 != 0)
        throw Failure(ExitCode::Options, "--positions rotary turns pairs, and --width " + std::to_string(width) +
                                             " among " + std::to_string(heads) +
                                             " heads gives each an odd number; choose another --width or --heads");
}

} // namespace lockstep::trainer
