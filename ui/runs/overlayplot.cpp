// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/overlayplot.h"

#include "ui/plots/figures.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr std::size_t kColumns = 600; // of an open run: finer than any screen shows here
constexpr int kTicks = 7;
constexpr int kNameGap = 12;

double niceStep(double span, int wanted)
{
    const double rough = span / wanted;
    const double base = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 2.5, 5.0})
        if (base * factor >= rough)
            return base * factor;
    return base * 10;
}

} // namespace

OverlayCurve curveOfSparkline(const RunSummary& run, int series)
{
    OverlayCurve curve{run.number, series, {}, {}};
    const auto count = run.sparkline.size();
    for (std::size_t i = 0; i < count; ++i) {
        curve.x.push_back(count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0);
        curve.y.push_back(static_cast<double>(run.sparkline[i]));
    }
    return curve;
}

OverlayCurve curveOfData(const RunSummary& run, const RunData& data, int series)
{
    std::vector<const Series*> ranks;
    double last = 0;
    for (const auto& [key, both] : data.allSeries())
        if (key.metric == QLatin1String("loss") && key.rank >= 0 && both.first.size() > 0) {
            ranks.push_back(&both.first);
            last = std::max(last, both.first.lastX());
        }
    OverlayCurve curve{run.number, series, {}, {}};
    std::vector<Column> columns(kColumns);
    std::vector<double> sum(kColumns, 0), count(kColumns, 0);
    for (const Series* rank : ranks) {
        rank->decimate(0, last + 1, columns);
        for (std::size_t i = 0; i < kColumns; ++i)
            if (columns[i].count > 0) {
                sum[i] += static_cast<double>(columns[i].mean);
                count[i] += 1;
            }
    }
    for (std::size_t i = 0; i < kColumns; ++i)
        if (count[i] > 0) {
            curve.x.push_back((static_cast<double>(i) + 0.5) * (last + 1) / kColumns);
            curve.y.push_back(sum[i] / count[i]);
        }
    return curve;
}

struct OverlayPlot::Frame {
    QRect box;
    double x0 = 0, x1 = 1, y0 = 0, y1 = 1;
    bool log = false;

    [[nodiscard]] double px(double x) const { return box.left() + (x - x0) / (x1 - x0) * box.width(); }
    [[nodiscard]] double py(double y) const
    {
        const auto map = [this](double v) { return log ? std::log10(v) : v; };
        return box.bottom() - (map(y) - map(y0)) / (map(y1) - map(y0)) * box.height();
    }
};

OverlayPlot::OverlayPlot(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setMinimumHeight(theme.px(120));
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void OverlayPlot::setCurves(const std::vector<OverlayCurve>& curves, OverlayAxis axis)
{
    if (curves == m_curves && axis == m_axis)
        return;
    m_curves = curves;
    m_axis = axis;
    update();
}

void OverlayPlot::setScale(OverlayScale scale)
{
    m_scale = scale;
    update();
}

void OverlayPlot::paintAxes(QPainter& painter, const Frame& frame) const
{
    const Tokens& t = m_theme.tokens();
    painter.setFont(m_theme.font(FontRole::Caption));
    const int high = painter.fontMetrics().height();
    const auto row = [&](double value, int decimals) {
        const int y = static_cast<int>(std::lround(frame.py(value)));
        painter.fillRect(frame.box.left(), y, frame.box.width(), 1, t.grid);
        painter.fillRect(frame.box.left() - 4, y, 4, 1, t.axis);
        painter.setPen(t.text2);
        painter.drawText(QRect(0, y - high / 2, frame.box.left() - m_theme.px(8), high),
                         Qt::AlignRight | Qt::AlignVCenter,
                         decimals < 0 ? figures::value(value) : figures::decimal(value, decimals));
    };
    if (frame.log) {
        for (double decade = std::pow(10, std::floor(std::log10(frame.y0))); decade <= frame.y1; decade *= 10)
            for (const double factor : {1.0, 2.0, 5.0})
                if (decade * factor >= frame.y0 && decade * factor <= frame.y1)
                    row(decade * factor, -1);
    } else {
        const double step = niceStep(frame.y1 - frame.y0, kTicks);
        for (double value = std::ceil(frame.y0 / step) * step; value <= frame.y1 + step / 1000; value += step)
            row(value, figures::decimalsFor(step));
    }
    const double step = m_axis == OverlayAxis::Share ? 0.2 : niceStep(frame.x1 - frame.x0, kTicks);
    for (double value = 0; value <= frame.x1 + step / 1000; value += step) {
        const int x = static_cast<int>(std::lround(frame.px(value)));
        painter.fillRect(x, frame.box.top(), 1, frame.box.height(), t.grid);
        painter.fillRect(x, frame.box.bottom(), 1, 4, t.axis);
        painter.setPen(t.text2);
        const QString text = m_axis == OverlayAxis::Share ? figures::percent(value)
                                                          : figures::grouped(static_cast<qint64>(std::lround(value)));
        const int wide = painter.fontMetrics().horizontalAdvance(text) + 4;
        painter.drawText(QRect(x - wide / 2, frame.box.bottom() + 6, wide, high), Qt::AlignCenter, text);
    }
    painter.fillRect(frame.box.left(), frame.box.top(), 1, frame.box.height(), t.axis);
    painter.fillRect(frame.box.left(), frame.box.bottom(), frame.box.width(), 1, t.axis);
    painter.setPen(t.text2);
    painter.drawText(QRect(frame.box.right() + m_theme.px(26), frame.box.bottom() + 6, m_theme.px(68), high),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     m_axis == OverlayAxis::Share ? QStringLiteral("of the run") : QStringLiteral("step"));
}

void OverlayPlot::paintCurves(QPainter& painter, const Frame& frame) const
{
    painter.save();
    painter.setClipRect(frame.box.adjusted(0, -1, 1, 1));
    painter.setRenderHint(QPainter::Antialiasing);
    for (const OverlayCurve& curve : m_curves) {
        QPainterPath path;
        bool down = false;
        for (std::size_t i = 0; i < curve.x.size(); ++i) {
            if (!std::isfinite(curve.y[i]) || (frame.log && curve.y[i] <= 0)) {
                down = false;
                continue;
            }
            const QPointF point(frame.px(curve.x[i]), frame.py(curve.y[i]));
            down ? path.lineTo(point) : path.moveTo(point);
            down = true;
        }
        QPen pen(seriesColour(m_theme.tokens(), curve.series), 1);
        pen.setCosmetic(true);
        if (const QList<qreal> dash = seriesDash(curve.series); !dash.isEmpty())
            pen.setDashPattern(dash);
        painter.setPen(pen);
        painter.drawPath(path);
    }
    painter.restore();
}

void OverlayPlot::paintNames(QPainter& painter, const Frame& frame) const
{
    struct Name {
        double y;
        const OverlayCurve* curve;
    };
    std::vector<Name> names;
    for (const OverlayCurve& curve : m_curves)
        for (auto i = curve.y.size(); i-- > 0;)
            if (std::isfinite(curve.y[i]) && (!frame.log || curve.y[i] > 0)) {
                names.push_back(
                    {std::clamp(frame.py(curve.y[i]), double(frame.box.top()), double(frame.box.bottom())), &curve});
                break;
            }
    std::ranges::sort(names, {}, &Name::y);
    const double gap = m_theme.px(kNameGap + 4);
    for (std::size_t i = 1; i < names.size(); ++i) // apart, from the top down
        names[i].y = std::max(names[i].y, names[i - 1].y + gap);
    double lowest = frame.box.bottom() - gap / 2; // below stands the axis' own name
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
        name->y = std::min(name->y, lowest);
        lowest = name->y - gap;
    }
    painter.setFont(m_theme.font(FontRole::Caption));
    const int high = painter.fontMetrics().height();
    for (const Name& name : names) {
        const int x = frame.box.right() + m_theme.px(6), y = static_cast<int>(std::lround(name.y));
        painter.fillRect(x, y - 1, m_theme.px(8), 2, seriesColour(m_theme.tokens(), name.curve->series));
        painter.setPen(m_theme.tokens().text);
        const auto last = std::ranges::find_if(name.curve->y.rbegin(), name.curve->y.rend(),
                                               [](double v) { return std::isfinite(v); });
        painter.drawText(QRect(x + m_theme.px(12), y - high / 2, width() - x, high), Qt::AlignLeft | Qt::AlignVCenter,
                         QStringLiteral("#%1  %2").arg(name.curve->number).arg(figures::value(*last)));
    }
}

void OverlayPlot::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.tokens().surface);
    Frame frame;
    frame.box = rect().adjusted(m_theme.px(56), m_theme.px(6), -m_theme.px(96), -m_theme.px(26));
    frame.log = m_scale == OverlayScale::Log;
    double low = INFINITY, high = -INFINITY, right = 0;
    for (const OverlayCurve& curve : m_curves)
        for (std::size_t i = 0; i < curve.y.size(); ++i)
            if (std::isfinite(curve.y[i]) && (!frame.log || curve.y[i] > 0)) {
                low = std::min(low, curve.y[i]);
                high = std::max(high, curve.y[i]);
                right = std::max(right, curve.x[i]);
            }
    if (!(low <= high)) {
        painter.setPen(m_theme.tokens().text3);
        painter.setFont(m_theme.font(FontRole::Cell));
        painter.drawText(rect(), Qt::AlignCenter,
                         m_curves.empty() ? QStringLiteral("Select runs above to lay their losses over each other.")
                                          : QStringLiteral("No finite loss yet."));
        return;
    }
    const double margin = high > low ? (high - low) * 0.04 : std::max(std::abs(high) * 0.1, 1e-6);
    frame.y0 = frame.log ? low * 0.95 : low - margin;
    frame.y1 = frame.log ? high * 1.05 : high + margin;
    frame.x1 = right > 0 ? right : 1;
    paintAxes(painter, frame);
    paintCurves(painter, frame);
    paintNames(painter, frame);
}

} // namespace lockstep::ui
