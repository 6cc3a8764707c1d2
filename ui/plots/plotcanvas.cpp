// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plotcanvas.h"

#include "ui/theme.h"

#include <qcustomplot.h>

#include <QMouseEvent>
#include <QWheelEvent>

namespace lockstep::ui {

namespace {

// Margins of every plot of a page, so that their x axes lie under one another.
constexpr int kLeft = 56, kRight = 72, kTop = 6, kBottom = 8, kBottomWithLabels = 24;
constexpr int kTickLength = 4;
constexpr double kZoomPerNotch = 0.8;
constexpr double kNotch = 120; // QWheelEvent's eighths of a degree of one notch
constexpr int kPixelsALabel = 85, kPixelsAYLabel = 30;
constexpr int kFewestLabels = 2, kMostLabels = 7;

int wantedLabels(double pixels, int pixelsEach)
{
    return std::clamp(static_cast<int>(pixels) / pixelsEach, kFewestLabels, kMostLabels);
}

} // namespace

class PlotCanvas::Layer : public QCPLayerable {
public:
    Layer(QCustomPlot* plot, const QString& layer, PlotCanvas& canvas, const Painter& painter)
        : QCPLayerable(plot, layer), m_canvas(canvas), m_painter(painter)
    {
    }

protected:
    void applyDefaultAntialiasingHint(QCPPainter*) const override {}
    void draw(QCPPainter* painter) override
    {
        if (!m_painter)
            return;
        painter->save();
        m_painter(*painter, m_canvas.frame());
        painter->restore();
    }

private:
    PlotCanvas& m_canvas;
    const Painter& m_painter;
};

class PlotCanvas::Ticker : public QCPAxisTicker {
public:
    using Make = std::function<std::vector<Tick>(const QCPRange&)>;
    explicit Ticker(Make make) : m_make(std::move(make)) {}

    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* subTicks,
                  QVector<QString>* labels) override
    {
        ticks.clear();
        if (subTicks)
            subTicks->clear();
        if (labels)
            labels->clear();
        for (const Tick& tick : m_make(range)) {
            ticks << tick.at;
            if (labels)
                *labels << tick.label;
        }
    }

private:
    Make m_make;
};

PlotCanvas::PlotCanvas(Theme& theme, PlotView& view, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_view(view), m_plot(new QCustomPlot(this))
{
    setMouseTracking(true);
    m_plot->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setNoAntialiasingOnDrag(false);
    m_plot->setNotAntialiasedElements(QCP::aeAll);
    m_plot->addLayer(QStringLiteral("content"), m_plot->layer(QStringLiteral("axes")), QCustomPlot::limAbove);
    m_plot->addLayer(QStringLiteral("cursor"), m_plot->layer(QStringLiteral("overlay")), QCustomPlot::limAbove);
    m_plot->layer(QStringLiteral("cursor"))->setMode(QCPLayer::lmBuffered);
    new Layer(m_plot, QStringLiteral("content"), *this, m_content); // the plot owns its layerables
    new Layer(m_plot, QStringLiteral("cursor"), *this, m_overlay);

    QCPAxisRect* rect = m_plot->axisRect();
    rect->setAutoMargins(QCP::msNone);
    m_plot->xAxis->setTicker(QSharedPointer<Ticker>::create([this](const QCPRange&) {
        return xTicks(m_view.range(), m_xLabels, wantedLabels(frame().area.width(), kPixelsALabel));
    }));
    m_plot->yAxis->setTicker(QSharedPointer<Ticker>::create([this](const QCPRange&) {
        return m_yLabels == YLabels::Shown ? yTicks(m_y, wantedLabels(frame().area.height(), kPixelsAYLabel))
                                           : std::vector<Tick>();
    }));
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setSubTicks(false);
        axis->setTickLength(0, m_theme.px(kTickLength));
        axis->grid()->setSubGridVisible(false);
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->setTickLabelPadding(m_theme.px(4));
    }
    colour();
    updateAxes();
    connect(&m_theme, &Theme::changed, this, [this] {
        colour();
        repaintContent();
    });
}

PlotCanvas::~PlotCanvas() = default;

void PlotCanvas::setTimeLabels(TimeLabels how)
{
    m_timeLabels = how;
    updateAxes();
}

// QCustomPlot ignores the palette.
void PlotCanvas::colour()
{
    const Tokens& tokens = m_theme.tokens();
    m_plot->setBackground(QBrush(tokens.surface));
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setBasePen(QPen(tokens.axis, 0));
        axis->setTickPen(QPen(tokens.axis, 0));
        axis->setTickLabelFont(m_theme.font(FontRole::Caption));
        axis->setTickLabelColor(tokens.text3);
        axis->grid()->setPen(QPen(tokens.grid, 0));
    }
}

void PlotCanvas::updateAxes()
{
    const bool labels = m_timeLabels == TimeLabels::Shown;
    m_plot->axisRect()->setMargins(QMargins(m_theme.px(kLeft), m_theme.px(kTop), m_theme.px(kRight),
                                            m_theme.px(labels ? kBottomWithLabels : kBottom)));
    m_plot->xAxis->setTickLabels(labels);
    m_plot->xAxis->setTicks(true);
    m_plot->xAxis->setTickLength(0, labels ? m_theme.px(kTickLength) : 0);
}

PlotFrame PlotCanvas::frame() const
{
    const QRect rect = m_plot->axisRect()->rect();
    return {QRectF(rect), m_view.range(), m_y};
}

void PlotCanvas::repaintContent()
{
    m_plot->xAxis->setRange(m_view.range().from, m_view.range().to);
    m_plot->yAxis->setScaleType(m_y.scale == YScale::Log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    m_plot->yAxis->setRange(m_y.from, m_y.to);
    m_plot->replot(QCustomPlot::rpQueuedRefresh);
}

void PlotCanvas::repaintOverlay()
{
    m_plot->layer(QStringLiteral("cursor"))->replot();
}

void PlotCanvas::resizeEvent(QResizeEvent*)
{
    m_plot->setGeometry(rect());
    repaintContent();
}

void PlotCanvas::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->position();
    m_panFrom = m_pressed.x();
    m_dragging = false;
}

void PlotCanvas::mouseMoveEvent(QMouseEvent* event)
{
    const PlotFrame now = frame();
    if (event->buttons() & Qt::LeftButton) {
        m_dragging =
            m_dragging || (event->position() - m_pressed).manhattanLength() >= QApplication::startDragDistance();
        if (m_dragging) {
            m_view.pan(now.xAt(m_panFrom) - now.xAt(event->position().x()));
            m_panFrom = event->position().x();
        }
        return;
    }
    const bool inside = event->position().x() >= now.area.left() && event->position().x() <= now.area.right();
    m_view.setCursor(inside ? std::optional(now.xAt(event->position().x())) : std::nullopt);
}

void PlotCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    if (!m_dragging && event->button() == Qt::LeftButton)
        emit clickedAt(event->position());
    m_dragging = false;
}

void PlotCanvas::mouseDoubleClickEvent(QMouseEvent*)
{
    m_view.follow();
}

void PlotCanvas::wheelEvent(QWheelEvent* event)
{
    const double notches = event->angleDelta().y() / kNotch;
    m_view.zoom(frame().xAt(event->position().x()), std::pow(kZoomPerNotch, notches));
    event->accept();
}

void PlotCanvas::leaveEvent(QEvent*)
{
    m_view.setCursor(std::nullopt);
}

} // namespace lockstep::ui
