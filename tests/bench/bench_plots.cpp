// SPDX-License-Identifier: GPL-3.0-or-later
// A frame of the loss plot: thinning, smoothing of what is new, painting. 16 ranks × 100 k points as lines, 512 × 10 k
// as bands.
#include "core/wire/encoder.h"
#include "tests/ui/maderun.h"
#include "tests/ui/madespool.h"
#include "ui/plots/metricplot.h"
#include "ui/plots/plotcolumn.h"
#include "ui/theme.h"

#include <QApplication>
#include <QDateTime>
#include <QElapsedTimer>
#include <QImage>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace lockstep;

namespace {

constexpr int kFrames = 40;
constexpr QSize kPlot{752, 280};

void fill(RunData& run, int nodes, int ranksEach, int points)
{
    for (int node = 0; node < nodes; ++node) {
        RunUpdate update;
        update.nodeIndex = node;
        for (int r = 0; r < ranksEach; ++r) {
            std::vector<Point> made;
            made.reserve(static_cast<std::size_t>(points));
            for (int i = 0; i < points; ++i)
                made.push_back({static_cast<double>(i), i * 0.1,
                                2 + 5 * std::exp(-i / (0.2 * points)) + 0.2 * std::sin(i * 12.9898 + r)});
            update.points.emplace_back(SeriesKey{QStringLiteral("loss"), node * ranksEach + r, node, {}, 1},
                                       std::move(made));
        }
        run.apply(update);
    }
}

void measure(ui::Theme& theme, const char* name, int nodes, int ranksEach, int points)
{
    auto run = made::emptyRun(nodes, ranksEach, QDateTime::currentMSecsSinceEpoch() * 1000);
    fill(*run, nodes, ranksEach, points);
    ui::PlotView view;
    view.setExtent({0, points * 0.1});
    ui::MetricPlot plot(theme, view, *run, QStringLiteral("loss"));
    plot.setAttribute(Qt::WA_DontShowOnScreen);
    plot.resize(kPlot);
    plot.show();
    QImage image(kPlot, QImage::Format_RGB32);
    QElapsedTimer timer;
    timer.start();
    plot.refresh();
    plot.render(&image);
    const double first = static_cast<double>(timer.nsecsElapsed()) / 1e6; // smooths all points once
    std::vector<double> frames;
    for (int i = 0; i < kFrames; ++i) {
        timer.restart();
        plot.refresh();
        plot.render(&image);
        frames.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    std::sort(frames.begin(), frames.end());
    std::printf("%-28s first %7.1f ms   frame p50 %6.2f ms   p95 %6.2f ms\n", name, first, frames[kFrames / 2],
                frames[kFrames * 95 / 100]);
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    ui::Theme theme(app);
    measure(theme, "16 ranks x 100 k, lines", 2, 8, 100'000);
    measure(theme, "512 ranks x 10 k, bands", 64, 8, 10'000);
    measure(theme, "8 ranks x 4,210, lines", 2, 4, 4'210);
    return 0;
}
