// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshconfigwords.h"

#include "remote/hostpattern.h"

#include <climits>

namespace lockstep {

namespace {

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

qsizetype skipBlanks(const QByteArray& text, qsizetype at)
{
    while (at < text.size() && isBlank(text[at]))
        ++at;
    return at;
}

} // namespace

std::optional<QByteArray> takeConfigWord(std::optional<QByteArray>& rest)
{
    if (!rest)
        return {};
    QByteArray text = *rest;
    qsizetype at = 0;
    while (at < text.size() && !isBlank(text[at]) && text[at] != '"' && text[at] != '=')
        ++at;
    if (at == text.size()) {
        rest.reset();
        return text;
    }
    if (text[at] == '"') { // to the closing one; what stood before it stays in front
        const qsizetype end = text.indexOf('"', at + 1);
        if (end < 0) {
            rest.reset();
            return {};
        }
        rest = text.mid(skipBlanks(text, end + 1));
        return text.left(at) + text.mid(at + 1, end - at - 1);
    }
    const bool equals = text[at] == '=';
    qsizetype next = skipBlanks(text, at + 1);
    if (!equals && next < text.size() && text[next] == '=')
        next = skipBlanks(text, next + 1);
    rest = text.mid(next);
    return text.left(at);
}

std::optional<QList<QByteArray>> configWords(const QByteArray& text)
{
    QList<QByteArray> words;
    qsizetype i = 0;
    const auto at = [&text](qsizetype index) { return index < text.size() ? text[index] : '\0'; };
    for (;;) {
        while (at(i) == ' ' || at(i) == '\t')
            ++i;
        if (i >= text.size() || at(i) == '#')
            return words;
        QByteArray word;
        char quote = 0;
        for (; i < text.size(); ++i) {
            const char c = text[i], next = at(i + 1);
            if (c == '\\' && (next == '\'' || next == '"' || next == '\\' || (quote == 0 && next == ' '))) {
                word += next;
                ++i;
            } else if (quote == 0 && (c == ' ' || c == '\t')) {
                break;
            } else if (quote == 0 && (c == '"' || c == '\'')) {
                quote = c;
            } else if (quote != 0 && c == quote) {
                quote = 0;
            } else {
                word += c;
            }
        }
        if (quote != 0)
            return {};
        words += word;
    }
}

std::optional<int> configSeconds(const QByteArray& word)
{
    if (word == "none")
        return -1;
    qint64 total = 0;
    for (qsizetype i = 0; i < word.size();) {
        qint64 number = 0;
        const qsizetype begin = i;
        for (; i < word.size() && word[i] >= '0' && word[i] <= '9' && number < INT_MAX; ++i)
            number = number * 10 + (word[i] - '0');
        if (i == begin)
            return {};
        const char unit = i < word.size() ? word[i++] : 's';
        const QByteArray units("sSmMhHdDwW");
        constexpr qint64 kSeconds[] = {1, 60, 3600, 86400, 604800};
        const qsizetype found = units.indexOf(unit);
        if (found < 0)
            return {};
        total += number * kSeconds[found / 2];
    }
    return word.isEmpty() || total > INT_MAX ? std::nullopt : std::optional(static_cast<int>(total));
}

bool matchesPatternList(const QByteArray& name, const QByteArray& patterns, PatternCase how)
{
    bool matched = false;
    for (QByteArray pattern : patterns.split(',')) {
        const bool negated = pattern.startsWith('!');
        if (negated)
            pattern.remove(0, 1);
        if (!matchesHostPattern(how == PatternCase::Lower ? pattern.toLower() : pattern, name))
            continue;
        if (negated)
            return false;
        matched = true;
    }
    return matched;
}

} // namespace lockstep
