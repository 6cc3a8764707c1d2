// SPDX-License-Identifier: GPL-3.0-or-later
// Stand-in: ProcessGroupGloo.hpp includes this and uses nothing of it.
#pragma once
