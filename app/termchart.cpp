// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/termchart.h"

#include <QSet>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep {
namespace {

constexpr int kDotsAcross = 2; // of one braille character
constexpr int kDotsDown = 4;
constexpr char16_t kBlank = 0x2800;
// Bit of the dot at [row][column], Unicode block Braille Patterns.
constexpr int kBits[kDotsDown][kDotsAcross] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
constexpr int kLabelWidth = 8;

struct Range {
    double from = std::numeric_limits<double>::infinity();
    double to = -std::numeric_limits<double>::infinity();
    void add(double value)
    {
        from = std::min(from, value);
        to = std::max(to, value);
    }
    [[nodiscard]] bool empty() const { return from > to; }
};

struct Means {
    std::vector<double> sum;
    std::vector<int> count;
};

std::vector<const Series*> lossSeries(const RunData& data)
{
    std::vector<const Series*> list;
    for (const auto& [key, pair] : data.allSeries())
        if (key.metric == QLatin1String("loss") && key.rank >= 0 && pair.first.size() > 0)
            list.push_back(&pair.first);
    return list;
}

QString ranksText(const RunData& data) // each counts once, however many attempts it drew
{
    QSet<int> ranks;
    for (const auto& [key, pair] : data.allSeries())
        if (key.metric == QLatin1String("loss") && key.rank >= 0 && pair.first.size() > 0)
            ranks.insert(key.rank);
    return ranks.size() == 1 ? QStringLiteral("1 rank") : QStringLiteral("%1 ranks").arg(ranks.size());
}

// Mean over ranks of what falls into each of `columns` equal parts of the steps.
Means means(const std::vector<const Series*>& list, Range steps, int columns)
{
    const auto count = static_cast<size_t>(columns);
    Means result{std::vector<double>(count), std::vector<int>(count)};
    std::vector<Column> part(count);
    const double end = steps.to + std::max(1e-9, (steps.to - steps.from) * 1e-6);
    for (const Series* series : list) {
        series->decimate(steps.from, end, part);
        for (size_t i = 0; i < count; ++i)
            if (part[i].count > 0) {
                result.sum[i] += static_cast<double>(part[i].mean);
                ++result.count[i];
            }
    }
    return result;
}

} // namespace

QString lossChart(const RunData& data, int width, int height)
{
    const auto list = lossSeries(data);
    Range steps, values;
    for (const Series* series : list)
        for (const double x : {series->xs().front(), series->lastX()})
            steps.add(x);
    if (steps.empty())
        return {};
    const int columns = std::max(1, width - kLabelWidth) * kDotsAcross;
    const int rows = height * kDotsDown;
    const Means mean = means(list, steps, columns);
    const auto value = [&mean](int column) {
        const auto i = static_cast<size_t>(column);
        return mean.count[i] ? mean.sum[i] / mean.count[i] : std::nan("");
    };
    for (int column = 0; column < columns; ++column)
        if (std::isfinite(value(column)))
            values.add(value(column));
    if (values.empty())
        return {};

    QList<QString> lines(height, QString(columns / kDotsAcross, QChar(kBlank)));
    const double span = std::max(values.to - values.from, 1e-12);
    for (int column = 0; column < columns; ++column) {
        if (!std::isfinite(value(column)))
            continue;
        const int row =
            std::clamp(static_cast<int>(std::lround((values.to - value(column)) / span * (rows - 1))), 0, rows - 1);
        QChar& cell = lines[row / kDotsDown][column / kDotsAcross];
        cell = QChar(static_cast<char16_t>(cell.unicode() | kBits[row % kDotsDown][column % kDotsAcross]));
    }
    QString text =
        QStringLiteral("loss, mean of %1, step %2 to %3\n").arg(ranksText(data)).arg(steps.from).arg(steps.to);
    for (int row = 0; row < height; ++row) {
        const QString label = row == 0            ? QString::number(values.to, 'g', 4)
                              : row == height - 1 ? QString::number(values.from, 'g', 4)
                                                  : QString();
        text += label.rightJustified(kLabelWidth - 1) + ' ' + lines[row] + '\n';
    }
    return text;
}

} // namespace lockstep
