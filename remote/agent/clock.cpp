// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/clock.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/procfile.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::size_t kMostDigits = 18; // of any number that 64 bits hold

bool isNumber(std::string_view line)
{
    return !line.empty() && line.size() <= kMostDigits &&
           std::ranges::all_of(line, [](char byte) { return byte >= '0' && byte <= '9'; });
}

} // namespace

ClockQuestions::ClockQuestions() : m_bootId(bootId()) {}

std::string ClockQuestions::answers(std::string_view input)
{
    std::string answers;
    for (const char byte : input) {
        if (byte != '\n') {
            if (m_line.size() <= kMostDigits)
                m_line += byte;
            continue;
        }
        wire::Encoder encoder(answers);
        encoder.begin(wire::kind::kClock, wire::kNode, monotonicUs())
            .field("wall_us", wallUs())
            .field("boot_id", m_bootId);
        if (isNumber(m_line))
            encoder.field("of", m_line);
        encoder.end();
        m_line.clear();
    }
    return answers;
}

int answerClockQuestions(int outFd, int inFd)
{
    ClockQuestions questions;
    char bytes[256];
    for (;;) {
        const ssize_t got = ::read(inFd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 ? 0 : 1;
        const std::string answers = questions.answers({bytes, static_cast<std::size_t>(got)});
        if (!answers.empty() && !writeAll(outFd, answers))
            return 1;
    }
}

} // namespace lockstep::agent
