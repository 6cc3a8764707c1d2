// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/specfields.h"

#include "core/traineroptions.h"

#include <algorithm>

namespace lockstep::ui {

namespace {

const QString kAllDevices = QStringLiteral("all devices");

constexpr int kMostGraceS = 86400;

bool plainWord(const QByteArray& word)
{
    return !word.isEmpty() && std::ranges::all_of(word, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || QByteArrayView("_-./:=,+@%").contains(c);
    });
}

QByteArray quoted(const QByteArray& word)
{
    if (plainWord(word))
        return word;
    return "'" + QByteArray(word).replace("'", "'\\''") + "'";
}

} // namespace

QStringList ranksANodeChoices()
{
    QStringList choices{kAllDevices};
    for (const int ranks : {1, 2, 4, 8})
        choices.append(QString::number(ranks));
    return choices;
}

QString ranksANodeText(int ranks)
{
    return ranks <= 0 ? kAllDevices : QString::number(ranks);
}

int ranksANode(const QString& text)
{
    return text == kAllDevices ? 0 : text.toInt();
}

QString usualText(const RunSpec& spec, const QString& name)
{
    return name == QLatin1String("threads") ? QStringLiteral("auto") : usualValue(spec, name);
}

void setOrDrop(RunSpec& spec, const RunSpec& opened, const char* name, const QString& text)
{
    const QString key = QString::fromLatin1(name);
    const bool chosenByItself =
        !choicesOf(key).isEmpty() && usualValue(spec, key) == text && opened.option(key).isEmpty();
    if (!text.isEmpty() && !chosenByItself)
        spec.setOption(key, text.toUtf8());
    else
        spec.trainer.removeIf([&](const TrainerOption& option) { return option.name == key; });
}

QString wrongNumber(const QString& name, const QString& text)
{
    const QString trimmed = text.trimmed();
    if (trimmed.isEmpty())
        return {};
    const int most = name == QLatin1String("grace")      ? kMostGraceS
                     : name == QLatin1String("restarts") ? kMostRestarts
                                                         : 0;
    if (most > 0) {
        bool isNumber = false;
        const int number = trimmed.toInt(&isNumber);
        return isNumber && number >= 0 && number <= most
                   ? QString()
                   : QStringLiteral("%1 is a whole number from 0 to %2, not “%3”.").arg(name).arg(most).arg(trimmed);
    }
    const Result<void> right = checkTrainerOption(name, trimmed.toUtf8());
    return right ? QString() : right.error().text;
}

QString wordsText(const QList<QByteArray>& words)
{
    QByteArrayList all;
    for (const QByteArray& word : words)
        all.append(quoted(word));
    return QString::fromUtf8(all.join(' '));
}

QString readWords(const QString& text, QList<QByteArray>& into)
{
    QList<QByteArray> words;
    QByteArray word;
    bool inWord = false;
    char quote = 0;
    const QByteArray bytes = text.toUtf8();
    for (qsizetype i = 0; i < bytes.size(); ++i) {
        const char c = bytes[i];
        if (quote != 0) {
            if (c == quote)
                quote = 0;
            else if (c == '\\' && quote == '"' && i + 1 < bytes.size() &&
                     QByteArrayView("\"\\$`").contains(bytes[i + 1]))
                word += bytes[++i];
            else
                word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            inWord = true;
        } else if (c == '\\') {
            if (i + 1 == bytes.size())
                return QStringLiteral("A backslash at the end stands before nothing.");
            word += bytes[++i];
            inWord = true;
        } else if (c == ' ' || c == '\t') {
            if (inWord)
                words.append(std::exchange(word, {}));
            inWord = false;
        } else {
            word += c;
            inWord = true;
        }
    }
    if (quote != 0)
        return QStringLiteral("A %1 is opened and not closed.").arg(QLatin1Char(quote));
    if (inWord)
        words.append(word);
    into = words;
    return {};
}

QString environmentText(const Environment& environment)
{
    QList<QByteArray> words;
    for (const auto& [name, value] : environment)
        words.append(name + '=' + value);
    return wordsText(words);
}

QString readEnvironment(const QString& text, Environment& into)
{
    QList<QByteArray> words;
    if (const QString wrong = readWords(text, words); !wrong.isEmpty())
        return wrong;
    Environment read;
    for (const QByteArray& word : words) {
        const qsizetype equals = word.indexOf('=');
        if (equals <= 0)
            return QStringLiteral("Write NAME=value; “%1” has no name.").arg(QString::fromUtf8(word));
        read.append({word.left(equals), word.mid(equals + 1)});
    }
    into = read;
    return {};
}

QList<QPair<QString, QString>> settingsOf(const RunSpec& spec)
{
    QList<QPair<QString, QString>> all{
        {QStringLiteral("nodes"), spec.nodes},
        {QStringLiteral("ranks a node"), ranksANodeText(spec.ranksPerNode)},
        {QStringLiteral("backend"), toString(spec.backend)},
        {QStringLiteral("master port"),
         spec.masterPort > 0 ? QString::number(spec.masterPort) : QStringLiteral("free")},
        {QStringLiteral("grace"), QStringLiteral("%1 s").arg(spec.graceS)},
        {QStringLiteral("restarts"), spec.restarts > 0 ? QString::number(spec.restarts) : QStringLiteral("never")}};
    for (const TrainerOption& option : spec.trainer)
        all.append({option.name, QString::fromUtf8(option.value)});
    if (!spec.arguments.isEmpty())
        all.append({QStringLiteral("arguments"), wordsText(spec.arguments)});
    const auto numberAbove = [](int usual, int number) { return number > usual ? QString::number(number) : QString(); };
    for (const auto& [name, value] :
         {std::pair{"ranks in all", numberAbove(0, spec.totalRanks)},
          {"ranks a device", numberAbove(1, spec.ranksPerDevice)},
          {"share devices", spec.shareDevices ? QStringLiteral("yes") : QString()},
          {"affinity", spec.affinity == Affinity::Auto ? QString() : toString(spec.affinity)},
          {"variables passed on", spec.passEnv.join(QLatin1String(", "))},
          {"relay", spec.relay ? QStringLiteral("yes") : QString()},
          {"folder", spec.folder},
          {"directory", spec.directory},
          {"results", spec.results.join(QLatin1String(", "))}})
        if (!value.isEmpty())
            all.append({QString::fromLatin1(name), value});
    for (const auto& [name, value] : spec.env)
        all.append({QString::fromUtf8(name), QString::fromUtf8(value)});
    for (const auto& [name, value] : spec.envOverride)
        all.append({QString::fromUtf8(name), QString::fromUtf8(value)});
    return all;
}

QStringList differingNames(const RunSpec& a, const RunSpec& b)
{
    const auto left = settingsOf(a), right = settingsOf(b);
    QStringList names;
    for (const auto* side : {&left, &right})
        for (const auto& setting : *side)
            if ((!left.contains(setting) || !right.contains(setting)) && !names.contains(setting.first))
                names.append(setting.first);
    return names;
}

QString advancedSummary(const RunSpec& spec)
{
    QStringList parts;
    for (const auto& [label, name] : {std::pair{"momentum", "momentum"},
                                      {"weight decay", "weight_decay"},
                                      {"seed", "seed"},
                                      {"threads", "threads"},
                                      {"bucket MiB", "bucket_mb"},
                                      {"strategy", "strategy"},
                                      {"precision", "precision"},
                                      {"schedule", "schedule"},
                                      {"forwards a step", "accumulate"},
                                      {"clip norm", "clip_norm"}})
        if (const QByteArray value = spec.option(QString::fromLatin1(name)); !value.isEmpty())
            parts.append(QStringLiteral("%1 %2").arg(QString::fromLatin1(label), QString::fromUtf8(value)));
    parts.append(spec.masterPort > 0 ? QStringLiteral("port %1").arg(spec.masterPort) : QStringLiteral("a free port"));
    parts.append(QStringLiteral("grace time %1 s").arg(spec.graceS));
    if (spec.restarts > 0)
        parts.append(QStringLiteral("restarts %1").arg(spec.restarts));
    if (spec.relay)
        parts.append(QStringLiteral("nodes relay the bundle"));
    if (!spec.folder.isEmpty())
        parts.append(QStringLiteral("folder %1").arg(spec.folder));
    const auto own = spec.env.size();
    parts.append(own == 0   ? QStringLiteral("no variables of your own")
                 : own == 1 ? QStringLiteral("1 variable of your own")
                            : QStringLiteral("%1 variables of your own").arg(own));
    return parts.join(QStringLiteral(", "));
}

} // namespace lockstep::ui
