// SPDX-License-Identifier: GPL-3.0-or-later
// What the login manager does with what a user leaves running: kill_user_processes (1, 0; missing: unknown), linger,
// login_session (this process is in one, and ends with it where the manager kills).
#pragma once

#include "core/wire/encoder.h"
#include "remote/agent/facts.h"

namespace lockstep::agent {

void appendLogin(wire::Encoder& record, const FactsRoots& roots);

} // namespace lockstep::agent
