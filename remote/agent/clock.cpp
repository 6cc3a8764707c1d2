// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/clock.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"

#include <cerrno>
#include <unistd.h>

namespace lockstep::agent {

std::string clockAnswers(std::string_view input)
{
    std::string answers;
    for (const char byte : input)
        if (byte == '\n')
            wire::Encoder(answers)
                .begin(wire::kind::kClock, wire::kNode, monotonicUs())
                .field("wall_us", wallUs())
                .end();
    return answers;
}

int answerClockQuestions(int outFd, int inFd)
{
    char bytes[256];
    for (;;) {
        const ssize_t got = ::read(inFd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 ? 0 : 1;
        const std::string answers = clockAnswers({bytes, static_cast<std::size_t>(got)});
        if (!answers.empty() && !writeAll(outFd, answers))
            return 1;
    }
}

} // namespace lockstep::agent
