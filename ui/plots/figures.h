// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as the screens write them: thousands with comma, minus is −, a thin word instead of a symbol.
#pragma once

#include <QList>
#include <QString>

namespace lockstep::ui::figures {

[[nodiscard]] QString grouped(qint64 number);                // 4,210
[[nodiscard]] QString decimal(double number, int decimals);  // −1,234.50; NaN, ∞, −∞ in words of one sign
[[nodiscard]] QString value(double number);                  // about three figures: 2.45, 0.00123, 1.2e-7
[[nodiscard]] QString scaled(double number);                 // 11.3 k, 1.07 k, 845
[[nodiscard]] QString percent(double fraction);              // 0.07 -> 7 %
[[nodiscard]] QString clock(double seconds);                 // 00:12:41
[[nodiscard]] QString shortClock(double seconds);            // 0:00, 12:41, 1:02:00: on axes and flags
[[nodiscard]] QString remaining(double seconds);             // 35 s, 15 min 35 s, 2 h 35 min; empty: unknown
[[nodiscard]] QString age(double seconds);                   // 0.2 s, 87 s, 12 min
[[nodiscard]] QString gibibytes(double bytes, int decimals); // 58 GiB; below 1 GiB: MiB
[[nodiscard]] QString bytes(qint64 number);                  // 41 MB, 3.2 kB: sizes of files and of what is sent
[[nodiscard]] QString wallTime(qint64 wallUs);               // 12:41:07.113, local time
[[nodiscard]] QString wallClock(qint64 wallUs);              // 12:41:07
[[nodiscard]] QString rankList(QList<int> ranks);            // 0–4, 6, 7
// Decimals that keep neighbouring ticks `step` apart distinguishable.
[[nodiscard]] int decimalsFor(double step);

} // namespace lockstep::ui::figures
