// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/runtoolbar.h"

#include "ui/plots/figures.h"
#include "ui/run/segments.h"
#include "ui/widgets/button.h"
#include "ui/widgets/combo.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QSlider>
#include <QTimer>

#include <algorithm>
#include <array>
#include <chrono>

namespace lockstep::ui {

namespace {

constexpr int kHeight = 36, kControl = 24, kEdge = 16, kSliderWidth = 64;
constexpr std::array kWeights = {0.0, 0.5, 0.8, 0.9, 0.97, 0.99};
constexpr std::array kAxes = {XAxis::Step, XAxis::Epoch, XAxis::Samples, XAxis::Time, XAxis::Wall};
constexpr int kSliderSteps = 1000;
constexpr std::chrono::milliseconds kReplayTick{40};
constexpr int kReplayTicks = 500; // a whole run in 20 s, however long it was

struct Part {
    const char* name;
    double size;
};
constexpr std::array<Part, 5> kTimeParts = {
    {{"Whole run", 0}, {"Last 1 h", 3600}, {"10 min", 600}, {"1 min", 60}, {"10 s", 10}}};
constexpr std::array<Part, 4> kStepCounts = {{{"Whole run", 0}, {"10,000", 10000}, {"1,000", 1000}, {"100", 100}}};

} // namespace

RunToolbar::RunToolbar(Theme& theme, PlotView& view, const RunData& run, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_view(view), m_run(run),
      m_axis(new Segments(theme, {QStringLiteral("Step"), QStringLiteral("Epoch"), QStringLiteral("Samples"),
                                  QStringLiteral("Time"), QStringLiteral("Wall")})),
      m_part(new Combo(theme)), m_smoothing(new Combo(theme, QStringLiteral("Smoothing"))),
      m_log(new Button(theme, QStringLiteral("Log y"), ButtonKind::Outlined, {}, ButtonSize::Small)),
      m_follow(new Button(theme, QStringLiteral("Following"), ButtonKind::Outlined, Icon::Follow, ButtonSize::Small)),
      m_replay(new Button(theme, QStringLiteral("Replay"), ButtonKind::Outlined, Icon::Launch, ButtonSize::Small)),
      m_plot(new Button(theme, QStringLiteral("Plot"), ButtonKind::Flat, Icon::Plus, ButtonSize::Small)),
      m_slider(new QSlider(Qt::Horizontal)), m_menu(new QMenu(this)), m_player(new QTimer(this))
{
    setFixedHeight(theme.px(kHeight));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(theme.px(kEdge), 0, theme.px(kEdge), 0);
    row->setSpacing(theme.px(6));
    for (Combo* combo : {m_part, m_smoothing}) {
        combo->setHeight(kControl);
        combo->setFont(theme.font(FontRole::Cell));
    }
    m_log->setCheckable(true);
    m_follow->setToolTip(QStringLiteral("F or a double click: follow the newest again"));
    m_slider->setRange(0, kSliderSteps);
    m_slider->setValue(kSliderSteps);
    m_slider->setFixedWidth(theme.px(kSliderWidth));
    for (QWidget* widget : {static_cast<QWidget*>(m_axis), static_cast<QWidget*>(m_part),
                            static_cast<QWidget*>(m_smoothing), static_cast<QWidget*>(m_log)})
        row->addWidget(widget);
    row->addStretch(1);
    for (QWidget* widget : {static_cast<QWidget*>(m_follow), static_cast<QWidget*>(m_replay),
                            static_cast<QWidget*>(m_slider), static_cast<QWidget*>(m_plot)})
        row->addWidget(widget);
    for (const double weight : kWeights)
        m_smoothing->addItem(weight == 0 ? QStringLiteral("none") : figures::decimal(weight, 2), weight);
    fillParts();
    styleSlider();
    showView();
    refresh();

    connect(m_axis, &Segments::chosen, this,
            [this](int choice) { m_view.setAxis(kAxes[static_cast<std::size_t>(choice)]); });
    connect(m_part, &QComboBox::activated, this, [this] { m_view.setShownPart(m_part->currentData().toDouble()); });
    connect(m_smoothing, &QComboBox::activated, this,
            [this] { m_view.setSmoothing(m_smoothing->currentData().toDouble()); });
    connect(m_log, &QPushButton::clicked, this,
            [this](bool on) { m_view.setYScale(on ? YScale::Log : YScale::Linear); });
    connect(m_follow, &QPushButton::clicked, &m_view, &PlotView::follow);
    connect(m_replay, &QPushButton::clicked, this, &RunToolbar::toggleReplay);
    connect(m_slider, &QSlider::valueChanged, this, &RunToolbar::seek);
    connect(m_plot, &QPushButton::clicked, this, [this] {
        fillMenu();
        m_menu->popup(m_plot->mapToGlobal(QPoint(0, m_plot->height())));
    });
    connect(m_player, &QTimer::timeout, this, [this] {
        m_slider->setValue(std::min(kSliderSteps, m_slider->value() + kSliderSteps / kReplayTicks));
        if (m_slider->value() >= kSliderSteps)
            toggleReplay();
    });
    connect(&m_view, &PlotView::changed, this, &RunToolbar::showView);
    connect(&m_view, &PlotView::followingChanged, this, &RunToolbar::showView);
    connect(&theme, &Theme::changed, this, [this] {
        styleSlider();
        showView();
        update();
    });
}

void RunToolbar::fillParts()
{
    const bool time = m_view.family() == XFamily::Seconds;
    const QSignalBlocker quiet(m_part);
    m_part->clear();
    const auto add = [this](const Part& part) { m_part->addItem(QString::fromUtf8(part.name), part.size); };
    if (time)
        std::for_each(kTimeParts.begin(), kTimeParts.end(), add);
    else
        std::for_each(kStepCounts.begin(), kStepCounts.end(), add);
    m_part->setProperty("time", time);
}

void RunToolbar::fillMenu()
{
    m_menu->clear();
    for (const QString& metric : m_run.metrics()) {
        if (metric == QLatin1String("loss"))
            continue; // is there already
        m_menu->addAction(metric, this, [this, metric] { emit plotToggled(metric); });
    }
    if (m_menu->isEmpty())
        m_menu->addAction(QStringLiteral("No metric has come yet"))->setEnabled(false);
}

void RunToolbar::showView()
{
    const auto axis = std::find(kAxes.begin(), kAxes.end(), m_view.axis());
    m_axis->setCurrent(static_cast<int>(axis - kAxes.begin()));
    if (m_part->property("time").toBool() != (m_view.family() == XFamily::Seconds))
        fillParts();
    const int weight = m_smoothing->findData(m_view.smoothing());
    m_smoothing->setCurrentIndex(weight);
    m_log->setChecked(m_view.yScale() == YScale::Log);
    const bool following = m_view.following();
    if (m_follow->property("on").toBool() == following && m_follow->property("seen").toBool())
        return;
    m_follow->setProperty("seen", true);
    m_follow->setProperty("on", following);
    m_follow->setText(following ? QStringLiteral("Following") : QStringLiteral("Follow  F"));
    m_follow->setStyleSheet(following ? QStringLiteral("QPushButton { background: %1; border-color: %2; color: %2; }")
                                            .arg(m_theme.tokens().sel.name(), m_theme.tokens().accent.name())
                                      : QString());
    m_follow->setIcon(m_theme.icon(Icon::Follow, following ? m_theme.tokens().accent : m_theme.tokens().text));
}

void RunToolbar::refresh()
{
    const bool over = isOver(m_run.state().phase);
    m_follow->setVisible(!over);
    m_replay->setVisible(over);
    m_slider->setVisible(over);
    m_plot->setText(over ? QString() : QStringLiteral("Plot"));
    m_plot->setToolTip(QStringLiteral("Add or remove a plot"));
    m_plot->updateGeometry();
}

void RunToolbar::cycleSmoothing()
{
    m_smoothing->setCurrentIndex((m_smoothing->currentIndex() + 1) % m_smoothing->count());
    m_view.setSmoothing(m_smoothing->currentData().toDouble());
}

double RunToolbar::replayEnd() const
{
    double end = 0;
    for (const auto& [key, pair] : m_run.allSeries()) {
        const Series& series = m_view.family() == XFamily::Steps ? pair.first : pair.second;
        if (series.size() > 0 && key.rank >= 0)
            end = std::max(end, series.lastX());
    }
    return end;
}

void RunToolbar::seek(int position)
{
    if (position >= kSliderSteps)
        m_view.setLimit({});
    else
        m_view.setLimit(replayEnd() * position / kSliderSteps);
}

void RunToolbar::toggleReplay()
{
    if (m_player->isActive()) {
        m_player->stop();
        m_replay->setText(QStringLiteral("Replay"));
        return;
    }
    if (m_slider->value() >= kSliderSteps)
        m_slider->setValue(0);
    m_replay->setText(QStringLiteral("Pause"));
    m_player->start(kReplayTick);
}

void RunToolbar::styleSlider()
{
    const Tokens& tokens = m_theme.tokens();
    m_slider->setStyleSheet(
        QStringLiteral("QSlider::groove:horizontal { height: 2px; background: %1; }"
                       "QSlider::sub-page:horizontal { background: %2; height: 2px; }"
                       "QSlider::handle:horizontal { width: 9px; height: 9px; margin: -5px 0; background: %3;"
                       " border: 2px solid %2; border-radius: 6px; }")
            .arg(tokens.track.name(), tokens.accent.name(), tokens.surface.name()));
}

void RunToolbar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.tokens().window);
    painter.fillRect(0, height() - 1, width(), 1, m_theme.tokens().border);
}

} // namespace lockstep::ui
