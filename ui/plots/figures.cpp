// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/figures.h"

#include <QDateTime>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace lockstep::ui::figures {

namespace {

constexpr QChar kMinus(0x2212);
constexpr QChar kInfinity(0x221E);
constexpr QChar kEnDash(0x2013);
constexpr int kMinute = 60;
constexpr int kHour = 3600;
constexpr int kDay = 86400;

QString withCommas(QString digits)
{
    for (qsizetype at = digits.size() - 3; at > 0; at -= 3)
        digits.insert(at, QLatin1Char(','));
    return digits;
}

QString twoDigits(qint64 number)
{
    return QStringLiteral("%1").arg(number, 2, 10, QLatin1Char('0'));
}

} // namespace

QString grouped(qint64 number)
{
    const QString digits = withCommas(QString::number(number < 0 ? -number : number));
    return number < 0 ? kMinus + digits : digits;
}

QString decimal(double number, int decimals)
{
    if (std::isnan(number))
        return QStringLiteral("NaN");
    if (std::isinf(number))
        return number < 0 ? QString(kMinus) + kInfinity : QString(kInfinity);
    const QString text = QString::number(std::abs(number), 'f', std::max(decimals, 0));
    const qsizetype dot = text.indexOf(QLatin1Char('.'));
    const QString whole = withCommas(dot < 0 ? text : text.left(dot));
    const QString rest = dot < 0 ? QString() : text.mid(dot);
    const bool zero = std::all_of(text.begin(), text.end(), [](QChar c) { return c == u'0' || c == u'.'; });
    return (number < 0 && !zero ? QString(kMinus) : QString()) + whole + rest;
}

QString value(double number)
{
    const double size = std::abs(number);
    if (!std::isfinite(number) || size == 0.0)
        return decimal(number, 2);
    if (size >= 1e6 || size < 1e-3) {
        QString text = QString::number(number, 'e', 2);
        text.replace(QStringLiteral("e-0"), QStringLiteral("e-")).replace(QStringLiteral("e+0"), QStringLiteral("e"));
        text.replace(QLatin1Char('-'), kMinus);
        return text;
    }
    if (size >= 1000)
        return decimal(number, 0);
    return decimal(number, size >= 100 ? 1 : size >= 0.1 ? 2 : size >= 0.01 ? 4 : 5);
}

QString scaled(double number)
{
    struct Unit {
        double size;
        const char* name;
    };
    for (const Unit unit : {Unit{1e9, " G"}, Unit{1e6, " M"}, Unit{1e3, " k"}}) {
        if (std::abs(number) < unit.size)
            continue;
        const double part = number / unit.size;
        const int decimals = std::abs(part) >= 100 ? 0 : std::abs(part) >= 10 ? 1 : 2;
        return decimal(part, decimals) + QLatin1String(unit.name);
    }
    return decimal(number, std::abs(number) >= 100 ? 0 : 1);
}

QString percent(double fraction)
{
    return std::isfinite(fraction) ? decimal(fraction * 100, 0) + QStringLiteral(" %") : QStringLiteral("–");
}

QString clock(double seconds)
{
    const auto whole = static_cast<qint64>(std::max(0.0, seconds));
    return twoDigits(whole / kHour) + QLatin1Char(':') + twoDigits(whole / kMinute % kMinute) + QLatin1Char(':') +
           twoDigits(whole % kMinute);
}

QString shortClock(double seconds)
{
    const auto whole = static_cast<qint64>(std::llround(std::abs(seconds)));
    const QString sign = seconds <= -0.5 ? QString(kMinus) : QString();
    if (whole < kHour)
        return sign + QString::number(whole / kMinute) + QLatin1Char(':') + twoDigits(whole % kMinute);
    return sign + QString::number(whole / kHour) + QLatin1Char(':') + twoDigits(whole / kMinute % kMinute) +
           QLatin1Char(':') + twoDigits(whole % kMinute);
}

QString remaining(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 0)
        return {};
    const auto whole = static_cast<qint64>(std::llround(seconds));
    if (whole < kMinute)
        return QStringLiteral("%1 s").arg(whole);
    if (whole < kHour)
        return QStringLiteral("%1 min %2 s").arg(whole / kMinute).arg(whole % kMinute);
    if (whole < kDay)
        return QStringLiteral("%1 h %2 min").arg(whole / kHour).arg(whole / kMinute % kMinute);
    return QStringLiteral("%1 d %2 h").arg(whole / kDay).arg(whole / kHour % 24);
}

QString age(double seconds)
{
    const double size = std::max(0.0, seconds);
    if (size < 10)
        return decimal(size, 1) + QStringLiteral(" s");
    if (size < 2 * kMinute)
        return decimal(size, 0) + QStringLiteral(" s");
    if (size < 2 * kHour)
        return decimal(size / kMinute, 0) + QStringLiteral(" min");
    if (size < 2 * kDay)
        return decimal(size / kHour, 0) + QStringLiteral(" h");
    return decimal(size / kDay, 0) + QStringLiteral(" d");
}

QString gibibytes(double bytes, int decimals)
{
    constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
    if (!std::isfinite(bytes) || bytes < 0)
        return QStringLiteral("–");
    if (bytes < kGiB)
        return decimal(bytes / 1024.0 / 1024.0, 0) + QStringLiteral(" MiB");
    return decimal(bytes / kGiB, decimals) + QStringLiteral(" GiB");
}

QString bytes(qint64 number)
{
    static const QStringList kUnits{QStringLiteral("B"), QStringLiteral("kB"), QStringLiteral("MB"),
                                    QStringLiteral("GB"), QStringLiteral("TB")};
    double size = static_cast<double>(number);
    qsizetype unit = 0;
    while (size >= 999.5 && unit + 1 < kUnits.size()) {
        size /= 1000;
        ++unit;
    }
    return QStringLiteral("%1 %2").arg(decimal(size, unit > 0 && size < 9.95 ? 1 : 0), kUnits[unit]);
}

QString wallTime(qint64 wallUs)
{
    return QDateTime::fromMSecsSinceEpoch(wallUs / 1000).toString(QStringLiteral("HH:mm:ss.zzz"));
}

QString wallClock(qint64 wallUs)
{
    return QDateTime::fromMSecsSinceEpoch(wallUs / 1000).toString(QStringLiteral("HH:mm:ss"));
}

QString rankList(QList<int> ranks)
{
    std::sort(ranks.begin(), ranks.end());
    QStringList parts;
    for (qsizetype first = 0; first < ranks.size();) {
        qsizetype last = first;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
            ++last;
        if (last >= first + 2) {
            parts << QString::number(ranks[first]) + kEnDash + QString::number(ranks[last]);
        } else {
            for (qsizetype i = first; i <= last; ++i)
                parts << QString::number(ranks[i]);
        }
        first = last + 1;
    }
    return parts.join(QStringLiteral(", "));
}

int decimalsFor(double step)
{
    if (!(step > 0) || !std::isfinite(step))
        return 0;
    const int decimals = static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
    return std::clamp(decimals, 0, 9);
}

} // namespace lockstep::ui::figures
