// SPDX-License-Identifier: GPL-3.0-or-later
// The user's own systemd, where it outlives the logins: a supervisor in a scope of it survives a logout even where
// logind ends the processes of a session (KillUserProcesses=yes). Without lingering it is the other way round: a scope
// ends with the user's last session, and a process of an own session may live on.
#pragma once

#include "remote/agent/outcome.h"

#include <string>
#include <vector>

namespace lockstep::agent {

inline constexpr char kLingerVariable[] = "LOCKSTEP_LINGER_DIR"; // instead of logind's folder; for tests

[[nodiscard]] bool lingers(); // logind keeps this user's systemd when the last session is gone

// The command that runs `program` in a scope of its own; to be followed by the program's arguments. Failure: no scope
// is to be had, and why.
[[nodiscard]] Outcome<std::vector<std::string>> scopeCommand(const std::string& unit, const std::string& program);
// $XDG_RUNTIME_DIR, else /run/user/UID: where the user's systemd is found. A sign-in without PAM sets none.
[[nodiscard]] std::string userRuntimeFolder();

} // namespace lockstep::agent
