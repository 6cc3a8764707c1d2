// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/devicecells.h"

#include "ui/plots/figures.h"
#include "ui/plots/hatching.h"
#include "ui/theme.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr int kEdge = 16, kHeader = 28, kNodeLine = 18, kGap = 4, kNodeGap = 16, kLineGap = 8;
constexpr int kLargeWidth = 84, kLargeHeight = 56, kSmallWidth = 20, kSmallHeight = 28, kSmallPitch = 21;
constexpr int kMostLarge = 16;
constexpr int kMemoryBar = 3;
constexpr int kLegendSteps = 10, kLegendSquare = 10, kLegendPitch = 14;

} // namespace

struct DeviceCells::Layout {
    struct Group {
        int nodeIndex = 0;
        QRectF title;
        std::vector<QRectF> cells;
        std::size_t first = 0; // of m_devices
    };
    std::vector<Group> groups;
    int height = 0;
};

DeviceCells::DeviceCells(Theme& theme, const RunData& run, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_data(run)
{
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void DeviceCells::refresh()
{
    const std::size_t before = m_devices.size();
    m_devices = devicesOf(m_data);
    // The CPU of a node with GPUs has its lane above; its cell would say nothing of the training.
    std::erase_if(m_devices, [this](const ListedDevice& device) {
        return device.isCpu() && std::any_of(m_devices.begin(), m_devices.end(), [&](const ListedDevice& other) {
                   return other.nodeIndex == device.nodeIndex && !other.isCpu();
               });
    });
    if (m_devices.size() != before)
        updateGeometry();
    update();
}

void DeviceCells::setTrouble(const QHash<int, CellTrouble>& byRank, const QHash<int, QString>& wordsByNode)
{
    m_trouble = byRank;
    m_words = wordsByNode;
}

QSize DeviceCells::minimumSizeHint() const
{
    return {m_theme.px(kLargeWidth + 2 * kEdge), m_theme.px(kHeader + kNodeLine + kSmallHeight + kLineGap)};
}

QSize DeviceCells::sizeHint() const
{
    return {m_theme.px(480), heightForWidth(std::max(width(), m_theme.px(480)))};
}

int DeviceCells::heightForWidth(int width) const
{
    return layoutFor(width).height;
}

DeviceCells::Layout DeviceCells::layoutFor(int width) const
{
    Layout layout;
    const bool large = m_devices.size() <= kMostLarge;
    const int cellWidth = m_theme.px(large ? kLargeWidth : kSmallWidth);
    const int cellHeight = m_theme.px(large ? kLargeHeight : kSmallHeight);
    const int pitch = large ? cellWidth + kGap : m_theme.px(kSmallPitch);
    const int edge = m_theme.px(kEdge), right = width - edge;
    int x = edge, y = m_theme.px(kHeader);
    int lineHeight = 0;
    for (std::size_t first = 0; first < m_devices.size();) {
        std::size_t last = first;
        while (last < m_devices.size() && m_devices[last].nodeIndex == m_devices[first].nodeIndex)
            ++last;
        const auto count = static_cast<int>(last - first);
        const int fitting = std::max(1, (right - edge + pitch - cellWidth) / pitch);
        const int across = std::min(count, fitting);
        const int lines = (count + across - 1) / across;
        const int groupWidth = std::max(across * pitch, m_theme.px(kLargeWidth));
        if (x > edge && x + groupWidth - (pitch - cellWidth) > right) {
            x = edge;
            y += lineHeight + m_theme.px(kLineGap);
            lineHeight = 0;
        }
        Layout::Group group{.nodeIndex = m_devices[first].nodeIndex,
                            .title = QRectF(x, y, groupWidth, m_theme.px(kNodeLine)),
                            .cells = {},
                            .first = first};
        for (int i = 0; i < count; ++i)
            group.cells.emplace_back(x + i % across * pitch,
                                     y + m_theme.px(kNodeLine) + i / across * (cellHeight + kGap), cellWidth,
                                     cellHeight);
        layout.groups.push_back(std::move(group));
        lineHeight = std::max(lineHeight, m_theme.px(kNodeLine) + lines * (cellHeight + kGap) - kGap);
        x += groupWidth + m_theme.px(kNodeGap);
        first = last;
    }
    layout.height = y + lineHeight + m_theme.px(kEdge) - 4;
    return layout;
}

QString DeviceCells::captionOf(int nodeIndex) const
{
    const PlannedNode node = m_data.plan().nodes.value(nodeIndex);
    QString caption = node.devices.source.section(QLatin1Char(','), 0, 0);
    const auto& nodes = m_data.state().nodes;
    if (nodeIndex < nodes.size() && nodes[nodeIndex].clockOffsetUs != 0) {
        const double ms = static_cast<double>(nodes[nodeIndex].clockOffsetUs) / 1000;
        caption += QStringLiteral(" · clock ") + (ms > 0 ? QStringLiteral("+") : QString()) + figures::decimal(ms, 1) +
                   QStringLiteral(" ms");
    }
    return caption;
}

void DeviceCells::paintEvent(QPaintEvent*)
{
    const Tokens& tokens = m_theme.tokens();
    QPainter painter(this);
    painter.fillRect(rect(), tokens.surface);
    paintLegend(painter);
    const QFont strong = m_theme.font(FontRole::CellStrong), caption = m_theme.font(FontRole::Caption);
    const Layout layout = layoutFor(width());
    for (const Layout::Group& group : layout.groups) {
        const QString name = m_data.plan().nodes.value(group.nodeIndex).name;
        painter.setFont(strong);
        painter.setPen(tokens.text);
        QRectF title = group.title;
        if (layout.groups.size() == 1) // one cell may be narrower than its words, and nothing stands beside it
            title.setRight(width() - m_theme.px(kEdge));
        painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, name);
        title.setLeft(title.left() + QFontMetrics(strong).horizontalAdvance(name) + 8);
        const QString trouble = m_words.value(group.nodeIndex);
        const bool large = m_devices.size() <= kMostLarge;
        painter.setFont(trouble.isEmpty() ? caption : m_theme.font(FontRole::CellStrong));
        painter.setPen(trouble.isEmpty() ? tokens.text3 : tokens.warn);
        const QString words = trouble.isEmpty() ? (large ? captionOf(group.nodeIndex) : QString()) : trouble;
        painter.drawText(title, (trouble.isEmpty() ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(words, Qt::ElideRight, static_cast<int>(title.width())));
        for (std::size_t i = 0; i < group.cells.size(); ++i)
            paintCell(painter, group.cells[i], m_devices[group.first + i]);
    }
}

void DeviceCells::paintCell(QPainter& painter, const QRectF& place, const ListedDevice& device) const
{
    const Tokens& tokens = m_theme.tokens();
    const double util = device.util && device.util->size() > 0 ? device.util->lastY() : NAN;
    const bool known = std::isfinite(util) && !isAway(m_data, device.nodeIndex);
    const bool large = m_devices.size() <= kMostLarge;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(known ? Qt::NoPen : QPen(tokens.axis, 1));
    painter.setBrush(known ? utilisationColour(tokens, util / 100) : tokens.surface);
    painter.drawRoundedRect(known ? place : place.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    if (!known)
        paintHatching(painter, place.adjusted(1, 1, -1, -1), tokens.text3);
    const CellTrouble trouble = m_trouble.value(device.rank, CellTrouble::None);
    if (trouble != CellTrouble::None) {
        painter.setPen(QPen(trouble == CellTrouble::Bad ? tokens.bad : tokens.warn, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), 2, 2);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(tokens.onUtilisation);
    if (!large) {
        painter.setFont(m_theme.font(FontRole::Caption));
        if (known)
            painter.drawText(place, Qt::AlignCenter, figures::decimal(util, 0));
        painter.restore();
        return;
    }
    const double inset = m_theme.px(8), line = place.height() / 3;
    const QRectF text = place.adjusted(inset, 0, -inset, 0);
    const QColor words = known ? tokens.onUtilisation : tokens.text2;
    painter.setPen(words);
    painter.setFont(m_theme.font(FontRole::Caption));
    painter.drawText(QRectF(text.left(), place.top() + 2, text.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                     device.isCpu() ? QStringLiteral("CPU") : QString::number(device.index));
    painter.setFont(m_theme.font(FontRole::PanelTitle));
    painter.drawText(QRectF(text.left(), place.top() + 2, text.width(), line), Qt::AlignRight | Qt::AlignVCenter,
                     known ? figures::percent(util / 100) : QStringLiteral("–"));
    painter.setFont(m_theme.font(FontRole::Caption));
    const QRectF second(text.left(), place.top() + line + 1, text.width(), line);
    const double temperature = deviceValue(m_data, device, QStringLiteral("temp_c"));
    const double power = deviceValue(m_data, device, QStringLiteral("power_w"));
    const double used = deviceValue(m_data, device, QStringLiteral("mem_used"));
    const double total = deviceValue(m_data, device, QStringLiteral("mem_total"));
    if (std::isfinite(temperature))
        painter.drawText(second, Qt::AlignLeft | Qt::AlignVCenter,
                         figures::decimal(temperature, 0) + QStringLiteral(" °C"));
    else if (device.isCpu() && std::isfinite(used))
        painter.drawText(second, Qt::AlignLeft | Qt::AlignVCenter, figures::gibibytes(used, 1));
    if (std::isfinite(power))
        painter.drawText(second, Qt::AlignRight | Qt::AlignVCenter, figures::decimal(power, 0) + QStringLiteral(" W"));
    if (total > 0 && std::isfinite(used)) {
        const QRectF bar(text.left(), place.bottom() - m_theme.px(10), text.width(), m_theme.px(kMemoryBar));
        painter.fillRect(bar, withOpacity(words, 0.3));
        painter.fillRect(QRectF(bar.topLeft(), QSizeF(bar.width() * std::clamp(used / total, 0.0, 1.0), bar.height())),
                         words);
    }
    painter.restore();
}

void DeviceCells::paintLegend(QPainter& painter) const
{
    const Tokens& tokens = m_theme.tokens();
    const int height = m_theme.px(kHeader), edge = m_theme.px(kEdge);
    const QFont title = m_theme.font(FontRole::PanelTitle), cell = m_theme.font(FontRole::Cell),
                caption = m_theme.font(FontRole::Caption);
    painter.setFont(title);
    painter.setPen(tokens.text);
    const QString name = QStringLiteral("devices");
    painter.drawText(QRect(edge, 0, width(), height), Qt::AlignLeft | Qt::AlignVCenter, name);
    const int after = edge + QFontMetrics(title).horizontalAdvance(name) + m_theme.px(12);
    const QString words = m_devices.size() <= kMostLarge ? QStringLiteral("colour is utilisation, the bar is memory")
                                                         : QStringLiteral("utilisation, %");
    painter.setFont(cell);
    painter.setPen(tokens.text2);
    painter.drawText(QRect(after, 0, width(), height), Qt::AlignLeft | Qt::AlignVCenter, words);

    const QString low = QStringLiteral("0 %"), high = QStringLiteral("100 %");
    const QFontMetrics metrics(caption);
    const int steps = kLegendSteps * kLegendPitch;
    int x = width() - edge - metrics.horizontalAdvance(low) - steps - metrics.horizontalAdvance(high) - 2 * 6;
    if (x < after + QFontMetrics(cell).horizontalAdvance(words) + edge)
        return;
    painter.setFont(caption);
    painter.setPen(tokens.text3);
    painter.drawText(QRect(x, 0, width(), height), Qt::AlignLeft | Qt::AlignVCenter, low);
    x += metrics.horizontalAdvance(low) + 6;
    for (int i = 0; i < kLegendSteps; ++i)
        painter.fillRect(x + i * kLegendPitch, (height - kLegendSquare) / 2, kLegendSquare, kLegendSquare,
                         utilisationColour(tokens, static_cast<double>(i) / (kLegendSteps - 1)));
    painter.drawText(QRect(x + steps + 2, 0, width(), height), Qt::AlignLeft | Qt::AlignVCenter, high);
}

void DeviceCells::mouseReleaseEvent(QMouseEvent* event)
{
    for (const Layout::Group& group : layoutFor(width()).groups)
        for (std::size_t i = 0; i < group.cells.size(); ++i)
            if (group.cells[i].contains(event->position()) && m_devices[group.first + i].rank >= 0)
                emit deviceClicked(m_devices[group.first + i].rank);
}

} // namespace lockstep::ui
