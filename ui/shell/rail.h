// SPDX-License-Identifier: GPL-3.0-or-later
// The rail at the left: the three pages with their counts, the open runs below Runs, Preferences and Keys at the
// bottom. Icons only when narrow. Thread: GUI.
#pragma once

#include "ui/theme.h"

#include <QFrame>
#include <QMap>

class QVBoxLayout;

namespace lockstep::ui {

class RailItem;

enum class Place { Nodes, Launch, Runs, Preferences, Keys };
enum class RailForm { Wide, IconsOnly };

class Rail : public QFrame {
    Q_OBJECT

public:
    explicit Rail(Theme& theme, QWidget* parent = nullptr);

    struct OpenRun {
        QString id, name;
        int number = 0;
        Icon icon = Icon::Run;
        QColor colour;
    };
    void setNodeCount(int count);
    void setLiveRuns(int count);
    void setOpenRuns(const QList<OpenRun>& runs);
    void setCurrent(Place place);
    void setCurrentRun(const QString& id);
    void setForm(RailForm form);

signals:
    void placeChosen(lockstep::ui::Place place);
    void runChosen(const QString& id);

private:
    RailItem* addItem(Place place, Icon icon, const QString& name);
    void mark();

    Theme& m_theme;
    QVBoxLayout* m_column;
    QVBoxLayout* m_runs;
    QMap<Place, RailItem*> m_items;
    QMap<QString, RailItem*> m_openRuns;
    QFrame* m_logo;
    Place m_current = Place::Nodes;
    QString m_currentRun;
    RailForm m_form = RailForm::Wide;
};

} // namespace lockstep::ui
