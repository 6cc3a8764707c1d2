// SPDX-License-Identifier: GPL-3.0-or-later
// Who drives a run: launches it, starts its next attempt, ends its other ranks when one has failed. Many programs may
// watch a run, one of them drives it; when that one is killed, the kernel lets go of its claim and another can take it.
// Any thread.
#pragma once

#include "core/openfile.h"

#include <memory>

namespace lockstep {

class RunClaim {
public:
    // `runFolder`: runs/ID. Null: another one drives the run. On a file system without locks everybody may.
    [[nodiscard]] static std::shared_ptr<RunClaim> take(const QString& runFolder);
    [[nodiscard]] static bool isHeld(const QString& runFolder);

private:
    explicit RunClaim(OpenFile file) : m_file(std::move(file)) {}

    OpenFile m_file;
};

} // namespace lockstep
