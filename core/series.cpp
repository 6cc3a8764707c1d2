// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep {
namespace {

// A series with more monotone pieces than this (two writers mixed) is walked point by point instead.
constexpr std::size_t kMostPieces = 64;

float toFloat(double y)
{
    constexpr double kMost = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(y, -kMost, kMost)); // a finite value stays finite
}

} // namespace

void Series::Cell::add(double y)
{
    if (std::isnan(y)) {
        ++nan;
    } else if (std::isinf(y)) {
        ++(y > 0 ? posInf : negInf);
    } else {
        const float value = toFloat(y);
        min = count == 0 ? value : std::min(min, value);
        max = count == 0 ? value : std::max(max, value);
        first = count == 0 ? value : first;
        last = value;
        sum += y;
        ++count;
    }
}

void Series::Cell::add(const Cell& other)
{
    if (other.count > 0) {
        min = count == 0 ? other.min : std::min(min, other.min);
        max = count == 0 ? other.max : std::max(max, other.max);
        first = count == 0 ? other.first : first;
        last = other.last;
        sum += other.sum;
        count += other.count;
    }
    nan += other.nan;
    posInf += other.posInf;
    negInf += other.negInf;
}

void Series::append(double x, double y)
{
    const std::size_t index = m_x.size();
    if (index == 0 || x < m_x.back())
        m_pieces.push_back(index);
    m_x.push_back(x);
    m_y.push_back(y);
    if (!std::isfinite(y))
        ++m_nonFinite;
    if (m_x.size() % kLeaf == 0)
        addCells();
}

// Of the last kLeaf points, and upwards as long as a pair is whole: seven points of eight touch no cell.
void Series::addCells()
{
    Cell cell;
    cell.x = m_x[m_x.size() - kLeaf];
    for (std::size_t i = m_y.size() - kLeaf; i < m_y.size(); ++i)
        cell.add(m_y[i]);
    for (std::size_t level = 0;; ++level) {
        if (level == m_levels.size())
            m_levels.emplace_back();
        std::vector<Cell>& cells = m_levels[level];
        cells.push_back(cell);
        if (cells.size() % 2 != 0)
            break;
        cell = cells[cells.size() - 2];
        cell.add(cells.back());
    }
}

void Series::clear()
{
    *this = {};
}

double Series::lastX() const
{
    return m_x.empty() ? std::numeric_limits<double>::quiet_NaN() : m_x.back();
}

double Series::lastY() const
{
    return m_y.empty() ? std::numeric_limits<double>::quiet_NaN() : m_y.back();
}

std::size_t Series::lowerBoundIn(std::size_t first, std::size_t last, double x) const
{
    if (first >= last || m_x[first] >= x)
        return first;
    if (m_x[last - 1] < x)
        return last;
    // Steps and seconds are nearly even: one guess and a short gallop is most often all, whatever the number of points.
    std::size_t low = first, high = last - 1; // m_x[low] < x <= m_x[high]
    const double share = (x - m_x[low]) / (m_x[high] - m_x[low]);
    const std::size_t guess = low + static_cast<std::size_t>(share * static_cast<double>(high - low));
    for (std::size_t reach = 2; high - low > reach; reach *= 4) {
        const std::size_t left = guess - low > reach ? guess - reach : low;
        const std::size_t right = high - guess > reach ? guess + reach : high;
        if (m_x[left] < x && m_x[right] >= x) {
            low = left;
            high = right;
            break;
        }
    }
    const auto begin = m_x.begin() + static_cast<std::ptrdiff_t>(low);
    const auto end = m_x.begin() + static_cast<std::ptrdiff_t>(high);
    return static_cast<std::size_t>(std::lower_bound(begin, end, x) - m_x.begin());
}

std::size_t Series::lowerBound(double x) const
{
    if (m_pieces.size() <= 1)
        return lowerBoundIn(0, m_x.size(), x);
    const auto it = std::find_if(m_x.begin(), m_x.end(), [&](double at) { return at >= x; });
    return static_cast<std::size_t>(it - m_x.begin());
}

// Calls onCell for whole cells and onPoint for single points that together are [first, last), from left to right.
template <typename OnPoint, typename OnCell>
void Series::walk(std::size_t first, std::size_t last, const OnPoint& onPoint, const OnCell& onCell) const
{
    std::size_t at = first;
    while (at < last) {
        if (at % kLeaf != 0 || at + kLeaf > last) {
            onPoint(at++);
            continue;
        }
        std::size_t level = 0, width = kLeaf;
        while (level + 1 < m_levels.size() && at % (width * 2) == 0 && at + width * 2 <= last) {
            ++level;
            width *= 2;
        }
        onCell(m_levels[level][at / width]);
        at += width;
    }
}

// One monotone piece, added to what is in the columns already.
void Series::decimatePiece(std::size_t first, std::size_t last, double from, double to, std::span<Column> columns) const
{
    const auto count = static_cast<double>(columns.size());
    std::size_t at = 0; // the column being filled
    double edge = from + (to - from) / count;
    Cell sum;
    const auto put = [&] {
        Column& column = columns[at];
        if (sum.count > 0) {
            const bool fresh = column.count == 0;
            column.min = fresh ? sum.min : std::min(column.min, sum.min);
            column.max = fresh ? sum.max : std::max(column.max, sum.max);
            column.first = fresh ? sum.first : column.first;
            column.last = sum.last;
            column.mean = static_cast<float>((static_cast<double>(column.mean) * column.count + sum.sum) /
                                             (column.count + sum.count));
            column.count += sum.count;
        }
        column.nan += sum.nan;
        column.posInf += sum.posInf;
        column.negInf += sum.negInf;
        sum = Cell();
    };
    const auto moveTo = [&](double x) {
        if (x < edge || at + 1 == columns.size())
            return;
        put();
        // Rounding may leave x one column off; then the loop corrects it.
        const auto guess = static_cast<std::size_t>(std::max(0.0, (x - from) / (to - from) * count));
        at = std::max(at, std::min(guess, columns.size() - 1));
        while (at > 0 && x < from + (to - from) * static_cast<double>(at) / count)
            --at;
        while (at + 1 < columns.size() && x >= from + (to - from) * static_cast<double>(at + 1) / count)
            ++at;
        edge = from + (to - from) * static_cast<double>(at + 1) / count;
    };
    // Cells of at most a quarter column; their own x, so that no point is touched.
    constexpr double kCellsAColumn = 4;
    const double share = static_cast<double>(last - first) / count;
    std::size_t level = 0, width = kLeaf;
    const bool cells = static_cast<double>(width) * kCellsAColumn <= share;
    while (cells && level + 1 < m_levels.size() && static_cast<double>(width * 2) * kCellsAColumn <= share) {
        ++level;
        width *= 2;
    }
    // A cell over a gap in x (a pause in the training) would carry points across it: there smaller ones are taken.
    const double widest = (to - from) / count / 2;
    for (std::size_t i = first; i < last;) {
        bool taken = false;
        std::size_t size = width;
        for (std::size_t down = 0; cells && down <= level && !taken; ++down, size /= 2) {
            if (i % size != 0 || i + size > last)
                continue;
            const std::vector<Cell>& whole = m_levels[level - down];
            const Cell& cell = whole[i / size];
            const double next = i / size + 1 < whole.size() ? whole[i / size + 1].x : m_x[std::min(i + size, last - 1)];
            const double end = i + size == last ? m_x[last - 1] : next;
            if (end - cell.x > widest)
                continue;
            moveTo(cell.x);
            sum.add(cell);
            i += size;
            taken = true;
        }
        if (!taken) {
            moveTo(m_x[i]);
            sum.add(m_y[i]);
            ++i;
        }
    }
    put();
}

void Series::decimate(double from, double to, std::span<Column> columns) const
{
    std::fill(columns.begin(), columns.end(), Column());
    if (columns.empty() || !(to > from) || m_x.empty())
        return;
    if (m_pieces.size() > kMostPieces) {
        for (std::size_t i = 0; i < m_x.size(); ++i) {
            if (m_x[i] >= from && m_x[i] < to)
                decimatePiece(i, i + 1, from, to, columns);
        }
        return;
    }
    for (std::size_t piece = 0; piece < m_pieces.size(); ++piece) {
        const std::size_t end = piece + 1 < m_pieces.size() ? m_pieces[piece + 1] : m_x.size();
        const std::size_t first = lowerBoundIn(m_pieces[piece], end, from);
        const std::size_t last = lowerBoundIn(first, end, to);
        if (first < last)
            decimatePiece(first, last, from, to, columns);
    }
}

bool Series::range(double from, double to, double& min, double& max) const
{
    bool any = false;
    const auto see = [&](double least, double most) {
        min = any ? std::min(min, least) : least;
        max = any ? std::max(max, most) : most;
        any = true;
    };
    const auto onPoint = [&](std::size_t i) {
        if (std::isfinite(m_y[i]) && m_x[i] >= from && m_x[i] <= to)
            see(m_y[i], m_y[i]);
    };
    if (m_pieces.size() > kMostPieces) {
        for (std::size_t i = 0; i < m_x.size(); ++i)
            onPoint(i);
        return any;
    }
    for (std::size_t piece = 0; piece < m_pieces.size(); ++piece) {
        const std::size_t end = piece + 1 < m_pieces.size() ? m_pieces[piece + 1] : m_x.size();
        const std::size_t first = lowerBoundIn(m_pieces[piece], end, from);
        const std::size_t last = lowerBoundIn(first, end, std::nextafter(to, std::numeric_limits<double>::infinity()));
        walk(first, last, onPoint, [&](const Cell& cell) {
            if (cell.count > 0)
                see(static_cast<double>(cell.min), static_cast<double>(cell.max));
        });
    }
    return any;
}

} // namespace lockstep
