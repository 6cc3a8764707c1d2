// SPDX-License-Identifier: GPL-3.0-or-later
// A live tick: points are appended, the visible part is decimated to pixel columns. Its cost must not know how much is
// stored (case 25: 10 thousand and 10 million points within 20 %).
#include "core/series.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace lockstep;

namespace {

constexpr int kColumns = 1600;
constexpr int kRounds = 200;

double medianUs(std::vector<double> us)
{
    std::nth_element(us.begin(), us.begin() + static_cast<std::ptrdiff_t>(us.size() / 2), us.end());
    return us[us.size() / 2];
}

template <typename Work>
double timeUs(const Work& work)
{
    std::vector<double> us;
    for (int round = 0; round < kRounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        work();
        us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    return medianUs(us);
}

} // namespace

int main()
{
    std::vector<Column> columns(kColumns);
    double least = 0;
    std::printf("%12s %14s %16s %18s %14s\n", "points", "append ns", "decimate all us", "decimate last 1% us",
                "live tick us");
    for (const std::size_t points :
         {std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000}, std::size_t{10'000'000}}) {
        Series series;
        const auto start = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < points; ++i)
            series.append(static_cast<double>(i), std::sin(static_cast<double>(i) * 0.001));
        const double appendNs =
            std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
            static_cast<double>(points);
        const double end = static_cast<double>(points);
        const double all = timeUs([&] { series.decimate(0, end, columns); });
        const double part = timeUs([&] { series.decimate(end * 0.99, end, columns); });
        double x = end;
        const double tick = timeUs([&] {
            series.append(x, 1);
            x += 1;
            series.decimate(0, x, columns);
        });
        if (least == 0)
            least = tick;
        std::printf("%12zu %14.1f %16.1f %18.1f %14.1f   %.2f x the first\n", points, appendNs, all, part, tick,
                    tick / least);
    }
    return 0;
}
