// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace lockstep::agent {

inline constexpr std::string_view kVersion = LOCKSTEP_VERSION;

} // namespace lockstep::agent
