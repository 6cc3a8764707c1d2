// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tokens.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {

const Tokens kLight{
    .scheme = Scheme::Light,
    .window = 0xF4F5F7,
    .rail = 0xECEEF1,
    .surface = 0xFFFFFF,
    .alt = 0xF8F9FA,
    .head = 0xF4F5F7,
    .hover = 0xE3E6EA,
    .sel = 0xE1E8FB,
    .border = 0xDADDE2,
    .grid = 0xE8EAED,
    .axis = 0xB4BAC2,
    .track = 0xDDE0E5,
    .control = 0x868D96,
    .button = 0xFFFFFF,
    .text = 0x1A1D21,
    .text2 = 0x4A515A,
    .text3 = 0x5E656E,
    .accent = 0x3355CC,
    .onAccent = 0xFFFFFF,
    .ok = 0x1B7742,
    .running = 0x3355CC,
    .idle = 0x5F6670,
    .warn = 0x8A5A00,
    .warnGround = 0xFFF6DF,
    .bad = 0xB3261E,
    .badGround = 0xFDEEEC,
    .series = {0x0072B2, 0xC77F00, 0x008F68, 0xBF6496, 0x2E93CF, 0xD55E00, 0x8F8500, 0x3C4147},
    .utilisation = {0xEEF1F5, 0xD3DDF6, 0xA8BCF0, 0x7896EA},
    .onUtilisation = 0x14171B,
    .stepParts = {0xC77F00, 0xCBD6F5, 0x8CA5EA, 0xD55E00, 0xC4C9D0},
    .rawOpacity = 0.13,
    .pinnedRawOpacity = 0.25,
    .overlaidRawOpacity = 0.35,
    .outerBandOpacity = 0.16,
    .innerBandOpacity = 0.30,
    .overlaidBandOpacity = 0.16,
    .laneOpacity = 0.22,
};

const Tokens kDark{
    .scheme = Scheme::Dark,
    .window = 0x15171A,
    .rail = 0x101214,
    .surface = 0x1B1E21,
    .alt = 0x1F2226,
    .head = 0x181B1E,
    .hover = 0x262A2F,
    .sel = 0x27345A,
    .border = 0x2D3237,
    .grid = 0x272B30,
    .axis = 0x4A525A,
    .track = 0x33383E,
    .control = 0x6F7780,
    .button = 0x24282C,
    .text = 0xE6E9EC,
    .text2 = 0xB1B8C0,
    .text3 = 0x9CA4AD,
    .accent = 0x86A3FF,
    .onAccent = 0x0E1220,
    .ok = 0x5CC48A,
    .running = 0x86A3FF,
    .idle = 0x9AA2AB,
    .warn = 0xE3B341,
    .warnGround = 0x2C2613,
    .bad = 0xFF7B72,
    .badGround = 0x331D1C,
    .series = {0x3D9FE0, 0xE69F00, 0x16B088, 0xD98FBA, 0x7CC7F2, 0xF0752A, 0xD9CE3A, 0xB9C0C8},
    .utilisation = {0x24282D, 0x27325A, 0x374C94, 0x4C68C9},
    .onUtilisation = 0xFFFFFF,
    .stepParts = {0xE69F00, 0x2C3C70, 0x4660B5, 0xF0752A, 0x4F575F},
    .rawOpacity = 0.15,
    .pinnedRawOpacity = 0.25,
    .overlaidRawOpacity = 0.35,
    .outerBandOpacity = 0.20,
    .innerBandOpacity = 0.36,
    .overlaidBandOpacity = 0.16,
    .laneOpacity = 0.22,
};

double luminance(const QColor& colour)
{
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

QColor mix(const QColor& a, const QColor& b, double part)
{
    const auto channel = [part](int from, int to) { return static_cast<int>(std::lround(from + (to - from) * part)); };
    return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

} // namespace

const Tokens& tokens(Scheme scheme)
{
    return scheme == Scheme::Light ? kLight : kDark;
}

QPalette palette(const Tokens& t)
{
    QPalette p;
    const auto set = [&p](QPalette::ColorRole role, const QColor& colour) {
        p.setColor(QPalette::Active, role, colour);
        p.setColor(QPalette::Inactive, role, colour);
        p.setColor(QPalette::Disabled, role, colour);
    };
    set(QPalette::Window, t.window);
    set(QPalette::Base, t.surface);
    set(QPalette::AlternateBase, t.alt);
    set(QPalette::Button, t.button);
    set(QPalette::Highlight, t.sel);
    set(QPalette::HighlightedText, t.text);
    set(QPalette::WindowText, t.text);
    set(QPalette::Text, t.text);
    set(QPalette::ButtonText, t.text);
    set(QPalette::BrightText, t.onAccent);
    set(QPalette::PlaceholderText, t.text3);
    set(QPalette::Link, t.accent);
    set(QPalette::LinkVisited, t.accent);
    set(QPalette::ToolTipBase, t.surface);
    set(QPalette::ToolTipText, t.text);
    set(QPalette::Light, t.surface);
    set(QPalette::Midlight, t.hover);
    set(QPalette::Mid, t.border);
    set(QPalette::Dark, t.control);
    set(QPalette::Shadow, t.border);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        p.setColor(QPalette::Disabled, role, t.text3);
    return p;
}

QColor seriesColour(const Tokens& t, int number)
{
    return t.series[static_cast<std::size_t>(std::max(number, 0)) % t.series.size()];
}

QList<qreal> seriesDash(int number)
{
    static const std::array<QList<qreal>, 4> kDashes{QList<qreal>{}, {6, 3}, {2, 3}, {8, 3, 2, 3}};
    return kDashes[static_cast<std::size_t>(std::max(number, 0)) / 8 % kDashes.size()];
}

QColor utilisationColour(const Tokens& t, double fraction)
{
    const double place = std::clamp(std::isfinite(fraction) ? fraction : 0.0, 0.0, 1.0) * 3;
    const auto below = std::min<std::size_t>(static_cast<std::size_t>(place), 2);
    return mix(t.utilisation[below], t.utilisation[below + 1], place - static_cast<double>(below));
}

QColor stepPartColour(const Tokens& t, StepPart part)
{
    return t.stepParts[static_cast<std::size_t>(part)];
}

QColor withOpacity(QColor colour, double opacity)
{
    colour.setAlphaF(static_cast<float>(opacity));
    return colour;
}

double contrast(const QColor& a, const QColor& b)
{
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace lockstep::ui
