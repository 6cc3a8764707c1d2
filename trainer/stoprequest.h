// SPDX-License-Identifier: GPL-3.0-or-later
// SIGTERM: the current step is finished, a checkpoint written where one is asked for, then the process ends with 143. A
// step that cannot be finished, because a peer has already gone, ends the same way after the patience: kPatienceS, and
// the time of two usual steps. While a Hold lives there is no such end: a checkpoint that is being written is written
// to its end (how long that may take is the launcher's to say: it kills after its grace time).
#pragma once

namespace lockstep::trainer {

class StopRequest {
public:
    static constexpr unsigned kPatienceS = 3;

    // SIGTERM and the alarm behind it. SIGPIPE and SIGXFSZ are ignored: a reader that left and a file that may not grow
    // are errors of a write, not an end.
    static void install();
    [[nodiscard]] static bool made();
    static void stepsTake(double seconds); // what is usual here

    class Hold { // nested ones count; on one thread
    public:
        Hold();
        ~Hold();
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;
    };
};

} // namespace lockstep::trainer
