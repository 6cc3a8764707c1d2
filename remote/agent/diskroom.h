// SPDX-License-Identifier: GPL-3.0-or-later
// How much a disk has left for this user, looked at before something is written that could fill it.
#pragma once

#include "remote/agent/outcome.h"

#include <cstdint>
#include <string>

namespace lockstep::agent {

// Code disk: "FOLDER has 41 MB free and 98 MB are needed" + `what`, which says for what, and what to do.
[[nodiscard]] Outcome<void> needRoom(const std::string& folder, std::uint64_t bytes, const std::string& what);
// The same for files; file systems that do not count them have room.
[[nodiscard]] Outcome<void> needFiles(const std::string& folder, std::uint64_t files, const std::string& what);

} // namespace lockstep::agent
