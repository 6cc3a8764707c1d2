#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every C++ file is as clang-format writes it, and every file that can carry one has its licence line.
set -euo pipefail
cd "$1"
sources() { find app ui core remote trainer tests resources examples -type f "$@"; }
sources \( -name '*.cpp' -o -name '*.h' \) -print0 | xargs -0 clang-format --dry-run -Werror
missing=$(find . -path ./build -prune -o -path ./.git -prune -o -type f \
    \( -name '*.cpp' -o -name '*.h' -o -name '*.py' -o -name '*.sh' -o -name 'CMakeLists.txt' -o -name '*.cmake' \) -print0 |
    xargs -0 grep -L 'SPDX-License-Identifier: GPL-3.0-or-later' || true)
[ -z "$missing" ] || { echo "without a licence line:"; echo "$missing"; exit 1; }
