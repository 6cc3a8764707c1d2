// SPDX-License-Identifier: GPL-3.0-or-later
// SIGTERM: the current step is finished, then the process ends with 143. A step that cannot be finished, because a peer
// has already gone, ends the same way after kPatience.
#pragma once

namespace lockstep::trainer {

class StopRequest {
public:
    static constexpr unsigned kPatienceS = 3;

    static void
    install(); // SIGTERM and the alarm behind it; SIGPIPE is ignored, a reader that left is no reason to end
    [[nodiscard]] static bool made();
};

} // namespace lockstep::trainer
