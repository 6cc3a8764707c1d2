// SPDX-License-Identifier: GPL-3.0-or-later
// How a rank ends that cannot go on. An exception that nobody catches, on any thread, comes here before anything is
// unwound: destructors of half-done collectives would wait for the peers, and those for this rank. So does exit()
// called by a library. It becomes one line on stderr, one `info` record (failure, failure_code) on descriptor 3 and an
// exit code, at once, also where memory has run out.
#pragma once

#include "trainer/failure.h"
#include "trainer/records/metricwriter.h"

#include <string>

namespace lockstep::trainer {

class LastWords {
public:
    // From here to the end of main; one at a time. `metrics` outlives every thread.
    explicit LastWords(MetricWriter& metrics);
    ~LastWords();
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;
};

struct Ending {
    ExitCode code = ExitCode::Unexpected;
    std::string sentence;
};

// What a foreign exception's text means: a stop that was asked for, a lost peer, no memory, or anything else.
enum class Stop { NotAsked, Asked };
[[nodiscard]] Ending endingFor(const std::string& message, Stop stop);

} // namespace lockstep::trainer
