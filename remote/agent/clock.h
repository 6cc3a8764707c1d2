// SPDX-License-Identifier: GPL-3.0-or-later
// What time it is here, for a desktop that asks a few times and keeps the answer with the least round trip: for every
// line of input, at once, `clock - T wall_us= boot_id=`, and the number that the line was as `of=`. `probe` answers so
// after its facts, `follow` on stderr.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::agent {

class ClockQuestions {
public:
    ClockQuestions();
    [[nodiscard]] std::string answers(std::string_view input); // to the lines that end in it

private:
    std::string m_bootId; // of which T counts, as in hello
    std::string m_line;   // what came of the next one; of a long line only so much that this is seen
};

int answerClockQuestions(int outFd, int inFd); // until its input ends

} // namespace lockstep::agent
