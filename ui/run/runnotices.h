// SPDX-License-Identifier: GPL-3.0-or-later
// What the page has to say about a run as it stands, in sentences. Pure.
#pragma once

#include "ui/plots/devicecells.h"
#include "ui/run/notice.h"
#include "ui/run/rankrows.h"

#include <optional>

namespace lockstep::ui {

[[nodiscard]] std::optional<NoticeText> linkNotice(const RunData& run, qint64 nowWallUs); // nodes without news
[[nodiscard]] std::optional<NoticeText> slowNotice(const RunData& run, const QList<RankRow>& rows);
[[nodiscard]] QHash<int, CellTrouble> cellTrouble(const QList<RankRow>& rows);                 // frames of device cells
[[nodiscard]] QHash<int, QString> nodeTrouble(const RunData& run, const QList<RankRow>& rows); // "0–3 wait for data"
[[nodiscard]] QString rankSummary(const RunData& run, const QList<RankRow>& rows); // "8 training, 1 of them slow"

} // namespace lockstep::ui
