// SPDX-License-Identifier: GPL-3.0-or-later
// SIGUSR1: write a checkpoint after this step. One rank that gets it is enough.
#pragma once

namespace lockstep::trainer {

class SaveRequest {
public:
    static void install();
    [[nodiscard]] static bool made(); // since the last clear()
    static void clear();
};

} // namespace lockstep::trainer
