// SPDX-License-Identifier: GPL-3.0-or-later
// What time it is here, for a desktop that asks a few times and keeps the answer with the least round trip: for every
// line of input, at once, `clock - T wall_us=`. `probe` answers so after its facts, `follow` on stderr.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::agent {

[[nodiscard]] std::string clockAnswers(std::string_view input);

int answerClockQuestions(int outFd, int inFd); // until its input ends

} // namespace lockstep::agent
