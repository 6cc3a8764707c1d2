// SPDX-License-Identifier: GPL-3.0-or-later
// How the screens speak of a run: pure functions from its summary to icon, colour and words.
#pragma once

#include "core/runstore.h"
#include "ui/nodes/nodewords.h"

namespace lockstep::ui {

[[nodiscard]] StateWords runWords(RunPhase phase, const QString& reason, double fractionDone); // < 0: unknown
[[nodiscard]] QString startedText(qint64 createdWallUs, const QDateTime& now); // "12:27 today", "yesterday", "26 Nov"
// mm:ss, h:mm:ss; of a live run until now.
[[nodiscard]] QString durationText(const RunSummary& run, qint64 nowWallUs);
[[nodiscard]] double durationSeconds(const RunSummary& run, qint64 nowWallUs);

} // namespace lockstep::ui
