// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/rail.h"

#include "ui/shell/railitem.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QPainter>

namespace lockstep::ui {

namespace {

class Logo : public QFrame {
public:
    explicit Logo(Theme& theme) : m_theme(theme) { setFixedHeight(theme.px(40)); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const int side = m_theme.px(16);
        const bool wide = width() > m_theme.px(100);
        const int left = wide ? m_theme.px(8) : (width() - side) / 2;
        painter.drawPixmap(left, (height() - side) / 2,
                           m_theme.pixmap(Icon::Logo, m_theme.tokens().accent, 16, devicePixelRatioF()));
        if (!wide)
            return;
        painter.setFont(m_theme.font(FontRole::CardTitle));
        painter.setPen(m_theme.tokens().text);
        painter.drawText(rect().adjusted(left + side + m_theme.px(8), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         QStringLiteral("Lockstep"));
    }

private:
    Theme& m_theme;
};

} // namespace

Rail::Rail(Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme)
{
    setProperty("ground", QStringLiteral("rail"));
    m_column = makeColumn(this);
    m_column->setContentsMargins(theme.px(8), theme.px(4), theme.px(8), theme.px(8));
    m_column->setSpacing(theme.px(2));
    m_logo = new Logo(theme);
    m_column->addWidget(m_logo);
    m_column->addSpacing(theme.px(2));
    addItem(Place::Nodes, Icon::Nodes, QStringLiteral("Nodes"));
    addItem(Place::Launch, Icon::Launch, QStringLiteral("Launch"));
    addItem(Place::Runs, Icon::Runs, QStringLiteral("Runs"));
    m_runs = makeColumn(nullptr);
    m_runs->setSpacing(theme.px(2));
    m_column->addLayout(m_runs);
    m_column->addStretch(1);
    addItem(Place::Preferences, Icon::Gear, QStringLiteral("Preferences"));
    addItem(Place::Keys, Icon::Help, QStringLiteral("Keys"))->setDetail(QStringLiteral("F1"));
    setForm(RailForm::Wide);
    mark();
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

RailItem* Rail::addItem(Place place, Icon icon, const QString& name)
{
    auto* item = new RailItem(m_theme, icon, name, RailLevel::Page);
    item->setObjectName(name);
    m_items.insert(place, item);
    m_column->addWidget(item);
    connect(item, &QAbstractButton::clicked, this, [this, place] {
        mark(); // a click toggles; what is current is said from outside
        emit placeChosen(place);
    });
    return item;
}

void Rail::setNodeCount(int count)
{
    m_items[Place::Nodes]->setDetail(QString::number(count));
}

void Rail::setLiveRuns(int count)
{
    m_items[Place::Runs]->setDetail(count > 0 ? QStringLiteral("%1 live").arg(count) : QString());
}

void Rail::setOpenRuns(const QList<OpenRun>& runs)
{
    QStringList ids;
    for (const OpenRun& run : runs)
        ids.append(run.id);
    for (const QString& id : m_openRuns.keys())
        if (!ids.contains(id))
            m_openRuns.take(id)->deleteLater();
    for (const OpenRun& run : runs) {
        RailItem*& item = m_openRuns[run.id];
        if (!item) {
            item = new RailItem(m_theme, run.icon, run.name, RailLevel::Run);
            item->setForm(m_form);
            m_runs->addWidget(item);
            connect(item, &QAbstractButton::clicked, this, [this, id = run.id] {
                mark();
                emit runChosen(id);
            });
        }
        item->setText(run.name);
        item->setDetail(QStringLiteral("#%1").arg(run.number));
        item->setIconAndColour(run.icon, run.colour);
    }
    mark();
}

void Rail::setCurrent(Place place)
{
    m_current = place;
    m_currentRun.clear();
    mark();
}

void Rail::setCurrentRun(const QString& id)
{
    m_current = Place::Runs;
    m_currentRun = id;
    mark();
}

void Rail::mark()
{
    for (auto it = m_items.cbegin(); it != m_items.cend(); ++it)
        it.value()->setChecked(it.key() == m_current);
    for (auto it = m_openRuns.cbegin(); it != m_openRuns.cend(); ++it)
        it.value()->setChecked(it.key() == m_currentRun);
}

void Rail::setForm(RailForm form)
{
    m_form = form;
    setFixedWidth(m_theme.px(form == RailForm::Wide ? 168 : 48));
    for (RailItem* item : std::as_const(m_items))
        item->setForm(form);
    for (RailItem* item : std::as_const(m_openRuns))
        item->setForm(form);
}

} // namespace lockstep::ui
