// SPDX-License-Identifier: GPL-3.0-or-later
// A pattern over paths as git means it (gitignore(5), wildmatch with WM_PATHNAME): `*` and `?` stop at a slash, `**/`,
// `/**` and `/**/` cross them, [a-z], [!a-z], [[:digit:]], and a backslash takes the next byte as it is.
#pragma once

#include <string_view>

namespace lockstep::wire {

// The whole of `path` against the whole of `pattern`. Time is bounded: a pattern that would take too long matches
// nothing.
[[nodiscard]] bool globMatches(std::string_view pattern, std::string_view path);

// As a line of .gitignore finds files: without a slash in its middle at any depth, else from the top.
[[nodiscard]] bool patternFinds(std::string_view pattern, std::string_view path);

} // namespace lockstep::wire
