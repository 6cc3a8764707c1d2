// SPDX-License-Identifier: GPL-3.0-or-later
// The icons: SVGs of resources/icons, 16 × 16, tinted when loaded (an offscreen or bare desktop has no theme icons).
#pragma once

#include <QColor>
#include <QPixmap>

namespace lockstep::ui {

enum class Icon {
    // states, always beside their word in the same colour
    Ok,
    Run,
    Connect,
    Wait,
    Stopped,
    Warn,
    Lost,
    Key,
    Lock,
    Unreach,
    Bad,
    Note,
    // actions and places
    Nodes,
    Launch,
    Runs,
    Gear,
    Help,
    Search,
    Plus,
    Import,
    Export,
    Copy,
    Refresh,
    Follow,
    Stop,
    File,
    Filter,
    Pin,
    Down,
    Right,
    Check,
    Close,
    Logo,
};
inline constexpr int kIconCount = static_cast<int>(Icon::Logo) + 1;

[[nodiscard]] QString iconFile(Icon icon); // ":/icons/ok.svg"
// `size` in device-independent pixels, drawn for `ratio`.
[[nodiscard]] QPixmap iconPixmap(Icon icon, const QColor& colour, int size, qreal ratio);

} // namespace lockstep::ui
