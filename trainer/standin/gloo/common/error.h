// SPDX-License-Identifier: GPL-3.0-or-later
// Stand-in: Gloo's exceptions reach us as std::exception.
#pragma once
