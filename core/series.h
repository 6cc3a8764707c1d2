// SPDX-License-Identifier: GPL-3.0-or-later
// The points of one metric of one rank of one attempt, with a min/max pyramid for drawing.
// Any thread, one at a time. x and y of point i are kept exactly as they came; NaN and infinities too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

struct Column {                                            // what falls into one pixel column
    float min = 0, max = 0, first = 0, last = 0, mean = 0; // over finite values
    std::uint32_t count = 0;                               // finite points; 0: nothing to draw
    std::uint32_t nan = 0, posInf = 0, negInf = 0;
};

class Series {
public:
    void append(double x, double y); // x never decreases; a smaller x is kept and begins a new monotone piece
    void clear();

    [[nodiscard]] std::size_t size() const { return m_y.size(); }
    [[nodiscard]] std::span<const double> xs() const { return m_x; }
    [[nodiscard]] std::span<const double> ys() const { return m_y; }
    [[nodiscard]] double lastX() const;
    [[nodiscard]] double lastY() const;
    [[nodiscard]] std::uint64_t nonFinite() const { return m_nonFinite; }

    // `columns` equal parts of [from, to). Cost: columns, not points (pyramid). Every point is in a column; above
    // 32 points a column, one near the edge may be in the neighbour's, at most half a column off.
    void decimate(double from, double to, std::span<Column> columns) const;
    // min and max of the finite values in [from, to]; false: there is none.
    [[nodiscard]] bool range(double from, double to, double& min, double& max) const;
    [[nodiscard]] std::size_t lowerBound(double x) const; // index of the first point with x not smaller

private:
    struct Cell {
        float min = 0, max = 0, first = 0, last = 0; // of finite values
        double sum = 0;
        double x = 0; // of its first point
        std::uint32_t count = 0, nan = 0, posInf = 0, negInf = 0;

        void add(double y);
        void add(const Cell& other);
    };
    static constexpr std::size_t kLeaf = 8; // points a cell of level 0; each next level halves

    void addCells();
    [[nodiscard]] std::size_t lowerBoundIn(std::size_t first, std::size_t last,
                                           double x) const; // of one monotone piece
    void decimatePiece(std::size_t first, std::size_t last, double from, double to, std::span<Column> columns) const;
    template <typename OnPoint, typename OnCell>
    void walk(std::size_t first, std::size_t last, const OnPoint& onPoint, const OnCell& onCell) const;

    std::vector<double> m_x, m_y;
    std::vector<std::size_t> m_pieces;       // where each monotone piece begins
    std::vector<std::vector<Cell>> m_levels; // whole cells only
    std::uint64_t m_nonFinite = 0;
};

// TensorBoard's debiased exponential moving average; NaN passes through and is not averaged. weight in [0, 1).
[[nodiscard]] std::vector<double> smoothed(std::span<const double> ys, double weight);

} // namespace lockstep
