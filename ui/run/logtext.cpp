// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/logtext.h"

#include <QRegularExpression>

namespace lockstep::ui {

namespace {

constexpr QChar kEscape(0x1b);
constexpr QChar kBell(0x07);

// From the character after ESC to the one after the sequence.
qsizetype skipSequence(const QString& text, qsizetype at)
{
    if (at >= text.size())
        return at;
    if (text[at] == u'[') { // CSI: parameters, then one letter
        for (++at; at < text.size(); ++at)
            if (text[at] >= u'@' && text[at] <= u'~')
                return at + 1;
        return at;
    }
    if (text[at] == u']') { // OSC: to BEL or ESC backslash
        for (++at; at < text.size(); ++at) {
            if (text[at] == kBell)
                return at + 1;
            if (text[at] == kEscape && at + 1 < text.size() && text[at + 1] == u'\\')
                return at + 2;
        }
        return at;
    }
    return at + 1;
}

} // namespace

QString plainText(const QString& raw)
{
    const auto special = [](QChar c) { return c < u' ' || c == QChar(0x7f); };
    if (std::none_of(raw.begin(), raw.end(), special))
        return raw;
    QString text;
    text.reserve(raw.size());
    bool rewrite = false;
    for (qsizetype i = 0; i < raw.size();) {
        const QChar c = raw[i++];
        if (c == kEscape) {
            i = skipSequence(raw, i);
        } else if (c == u'\r') {
            rewrite = true; // only what is written after it replaces the line
        } else if (c == u'\t') {
            text += QStringLiteral("    ");
        } else if (!special(c)) {
            if (rewrite)
                text.clear();
            rewrite = false;
            text += c;
        }
    }
    return text;
}

LogSeverity severityOf(const QString& plain)
{
    static const QRegularExpression bad(
        QStringLiteral(
            R"(\b(error|exception|traceback|fatal|critical|failed|killed|abort(ed)?|segmentation|nan|inf|panic|ended by SIG\w+)\b|\w+Error\b)"),
        QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression warning(
        QStringLiteral(R"(\bwarn(ing)?s?\b|\w+Warning\b|\b(lost|retry|timed? ?out|slow|throttl\w*|thermal)\b)"),
        QRegularExpression::CaseInsensitiveOption);
    if (bad.match(plain).hasMatch())
        return LogSeverity::Bad;
    if (warning.match(plain).hasMatch())
        return LogSeverity::Warning;
    return LogSeverity::Usual; // not by the stream: half of all programs log to stderr
}

} // namespace lockstep::ui
