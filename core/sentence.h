// SPDX-License-Identifier: GPL-3.0-or-later
// Words as a sentence for people.
#pragma once

#include <QString>

namespace lockstep {

// With one full stop: words from elsewhere, an error's say, have theirs or have none.
[[nodiscard]] inline QString withFullStop(const QString& words)
{
    return words.endsWith(u'.') ? words : words + u'.';
}

} // namespace lockstep
