// SPDX-License-Identifier: GPL-3.0-or-later
// One cell a device, grouped by node: colour is utilisation, the bar is memory; trouble is framed. Up to 16 devices the
// cells also say temperature and power; more get small cells with the number alone.
#pragma once

#include "ui/plots/devicelist.h"

#include <QHash>
#include <QWidget>

namespace lockstep::ui {

class Theme;
class PlotHeader;

enum class CellTrouble { None, Warn, Bad };

class DeviceCells : public QWidget {
    Q_OBJECT

public:
    DeviceCells(Theme& theme, const RunData& run, QWidget* parent = nullptr);

    void refresh();
    [[nodiscard]] std::size_t deviceCount() const { return m_devices.size(); }
    void setTrouble(const QHash<int, CellTrouble>& byRank, const QHash<int, QString>& wordsByNode);
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

signals:
    void deviceClicked(int rank);

private:
    struct Layout;

    [[nodiscard]] Layout layoutFor(int width) const;
    void paintCell(QPainter& painter, const QRectF& place, const ListedDevice& device) const;
    void paintLegend(QPainter& painter) const;
    [[nodiscard]] QString captionOf(int nodeIndex) const;

    Theme& m_theme;
    const RunData& m_data;
    std::vector<ListedDevice> m_devices;
    QHash<int, CellTrouble> m_trouble;
    QHash<int, QString> m_words;
};

} // namespace lockstep::ui
