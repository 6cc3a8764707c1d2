// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/tone.h"

#include <QStyle>
#include <QVariant>

namespace lockstep::ui {

namespace {

QString name(Tone tone)
{
    switch (tone) {
    case Tone::Text:
        return QStringLiteral("text");
    case Tone::Text2:
        return QStringLiteral("text2");
    case Tone::Text3:
        return QStringLiteral("text3");
    case Tone::Accent:
        return QStringLiteral("accent");
    case Tone::Ok:
        return QStringLiteral("ok");
    case Tone::Running:
        return QStringLiteral("running");
    case Tone::Idle:
        return QStringLiteral("idle");
    case Tone::Warn:
        return QStringLiteral("warn");
    case Tone::Bad:
        return QStringLiteral("bad");
    }
    return {};
}

} // namespace

QColor toneColour(const Tokens& t, Tone tone)
{
    switch (tone) {
    case Tone::Text:
        return t.text;
    case Tone::Text2:
        return t.text2;
    case Tone::Text3:
        return t.text3;
    case Tone::Accent:
        return t.accent;
    case Tone::Ok:
        return t.ok;
    case Tone::Running:
        return t.running;
    case Tone::Idle:
        return t.idle;
    case Tone::Warn:
        return t.warn;
    case Tone::Bad:
        return t.bad;
    }
    return t.text;
}

void setTone(QLabel& label, Tone tone)
{
    const QString wanted = name(tone);
    if (label.property("tone").toString() == wanted)
        return;
    label.setProperty("tone", wanted);
    label.style()->unpolish(&label);
    label.style()->polish(&label);
}

QLabel* makeLabel(const Theme& theme, FontRole role, Tone tone, const QString& text)
{
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText); // names come from outside
    label->setFont(theme.font(role));
    label->setProperty("tone", name(tone));
    return label;
}

} // namespace lockstep::ui
