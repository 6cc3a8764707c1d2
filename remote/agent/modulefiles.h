// SPDX-License-Identifier: GPL-3.0-or-later
// What environment modules (Tcl) and Lmod (Lua) would put into PATH and PYTHONPATH, read from their files. A value that
// is computed there is not found: running a module file would run a program of somebody else's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::agent {

// Folders of Python environments (what /bin of PATH lies in) and of packages (PYTHONPATH), of all module files of the
// list, and of the usual places when it is empty.
[[nodiscard]] std::vector<std::string> modulePrefixes(const std::string& modulePath, const std::string& root,
                                                      std::int64_t endUs);

// Of one file's text.
[[nodiscard]] std::vector<std::string> prefixesIn(std::string_view moduleFile);

} // namespace lockstep::agent
