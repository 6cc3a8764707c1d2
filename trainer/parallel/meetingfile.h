// SPDX-License-Identifier: GPL-3.0-or-later
// The file of --init file://: c10d::FileStore believes any bytes that lie there, and on foreign ones it loops for ever.
#pragma once

#include <string>

namespace lockstep::trainer {

// Throws Failure(Rendezvous) when there is something at `path` that no FileStore began; nothing, an empty file, and
// what an earlier run left are right.
void checkMeetingFile(const std::string& path);

} // namespace lockstep::trainer
