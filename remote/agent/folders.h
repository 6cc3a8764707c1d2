// SPDX-License-Identifier: GPL-3.0-or-later
// Where the agent keeps things on a node. All folders are the user's own, mode 0700.
#pragma once

#include "remote/agent/outcome.h"

#include <string>
#include <string_view>

namespace lockstep::agent {

inline constexpr char kRunsVariable[] = "LOCKSTEP_RUNS_DIR";   // instead of /var/tmp/lockstep-UID/HOSTNAME
inline constexpr char kCacheVariable[] = "LOCKSTEP_CACHE_DIR"; // instead of ~/.cache/lockstep

// Made when missing. Refused: a symbolic link, a folder of somebody else.
[[nodiscard]] Outcome<void> ensurePrivateFolder(const std::string& path);

[[nodiscard]] Outcome<std::string> runsFolder();  // absolute, exists
[[nodiscard]] Outcome<std::string> cacheFolder(); // absolute, exists

[[nodiscard]] std::string hostName();
[[nodiscard]] std::string homeFolder();            // $HOME, else the password file's
[[nodiscard]] bool isRunId(std::string_view text); // [A-Za-z0-9._-]{1,128}, no leading dot

// At most `limit` bytes of a file.
[[nodiscard]] Outcome<std::string> readFile(const std::string& path, std::size_t limit);
// Written aside, synced, renamed; mode 0600.
[[nodiscard]] Outcome<void> replaceFile(const std::string& path, std::string_view bytes);

} // namespace lockstep::agent
