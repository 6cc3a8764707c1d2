// SPDX-License-Identifier: GPL-3.0-or-later
// Utilisation of every device on the page's x axis: a lane each, or rows coloured by load where lanes would not fit.
#pragma once

#include "ui/plots/plotpanel.h"

#include <vector>

namespace lockstep::ui {

inline constexpr int kMostLanes = 12; // eight devices and the CPUs of their nodes; above: rows

class LanePlot : public PlotPanel {
    Q_OBJECT

public:
    LanePlot(Theme& theme, PlotView& view, const RunData& data, QWidget* parent = nullptr);

signals:
    void deviceClicked(int nodeIndex, const QString& device);

protected:
    void prepare(const XMap& map) override;
    void paintContent(QPainter& painter, const PlotFrame& frame) override;
    void fillHeader() override;

private:
    struct Lane {
        int nodeIndex = 0;
        int number = 0; // of its colour
        QString device;
        QString label;
        const Series* series = nullptr; // against seconds
        std::vector<Column> columns = {};
        bool away = false; // the node sends nothing now
    };

    void paintLane(QPainter& painter, const PlotFrame& frame, const Lane& lane, QRectF place) const;
    void paintRows(QPainter& painter, const PlotFrame& frame) const;
    void paintSideWords(QPainter& painter, const PlotFrame& frame, double y, double height, const QString& left,
                        const QString& right, const QColor& colour) const;
    [[nodiscard]] std::vector<QRectF> places(const PlotFrame& frame) const;
    [[nodiscard]] double valueOf(const Lane& lane) const; // percent at the cursor or newest; NaN: none
    [[nodiscard]] QString wordsOf(const Lane& lane) const;

    std::vector<Lane> m_lanes;
};

} // namespace lockstep::ui
