// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the rank that the others wait for, from the parts of the step that it computes alone.
#include "ui/plots/stepparts.h"
#include "ui/run/rankrows.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr std::size_t kSteps = 20;
constexpr std::size_t kMostlyAbove = 18; // of kSteps; even ranks reach it in about one of 5,000 windows
constexpr double kLeastShare = 0.04;     // of the others' computing
constexpr double kLeastMs = 1;
constexpr double kErrors = 4; // standard errors of the excess
constexpr std::array kOwnParts = {"data_ms", "forward_ms", "backward_ms"};

using Window = std::array<double, kSteps>; // ms of own computing in each of the last steps

bool readWindow(const RunData& run, int rank, double lastStep, Window& window)
{
    window.fill(0);
    bool any = false;
    for (const char* part : kOwnParts) {
        const Series* series = rankSeries(run, rank, QLatin1String(part), XAxis::Step);
        if (!series)
            continue;
        std::size_t end = series->lowerBound(lastStep);
        if (end < series->size() && series->xs()[end] == lastStep)
            ++end;
        if (end < kSteps)
            return false;
        for (std::size_t i = 0; i < kSteps; ++i)
            window[i] += series->ys()[end - kSteps + i];
        any = true;
    }
    return any;
}

// Median of `sorted` without one element of value `own`.
double medianOfOthers(const std::vector<double>& sorted, double own)
{
    const std::size_t middle = (sorted.size() - 1) / 2;
    return own > sorted[middle] ? sorted[middle] : sorted[middle + 1];
}

} // namespace

std::vector<double> slowness(const RunData& run)
{
    const int world = run.plan().worldSize;
    std::vector<double> slow(static_cast<std::size_t>(std::max(world, 0)), 0);
    double lastStep = std::numeric_limits<double>::infinity();
    for (int rank = 0; rank < world; ++rank) {
        const Series* series = rankSeries(run, rank, QLatin1String(kOwnParts[1]), XAxis::Step);
        if (series && series->size() > 0)
            lastStep = std::min(lastStep, series->lastX());
    }
    std::vector<int> ranks;
    std::vector<Window> windows;
    for (int rank = 0; rank < world && std::isfinite(lastStep); ++rank) {
        Window window;
        if (!readWindow(run, rank, lastStep, window))
            continue;
        ranks.push_back(rank);
        windows.push_back(window);
    }
    if (windows.size() < 2)
        return slow;
    std::array<std::vector<double>, kSteps> sorted;
    for (std::size_t i = 0; i < kSteps; ++i) {
        for (const Window& window : windows)
            sorted[i].push_back(window[i]);
        std::sort(sorted[i].begin(), sorted[i].end());
    }
    for (std::size_t r = 0; r < windows.size(); ++r) {
        double sum = 0, squares = 0, usual = 0;
        std::size_t above = 0;
        for (std::size_t i = 0; i < kSteps; ++i) {
            const double median = medianOfOthers(sorted[i], windows[r][i]);
            const double excess = windows[r][i] - median;
            usual += median / kSteps;
            sum += excess;
            squares += excess * excess;
            above += excess > 0 ? 1 : 0;
        }
        const double mean = sum / kSteps;
        const double error = std::sqrt(std::max(0.0, squares / kSteps - mean * mean) / kSteps);
        if (above >= kMostlyAbove && mean > kLeastMs && mean > kLeastShare * usual && mean > kErrors * error)
            slow[static_cast<std::size_t>(ranks[r])] = mean;
    }
    return slow;
}

} // namespace lockstep::ui
