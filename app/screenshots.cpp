// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/screenshots.h"

#include "app/answer.h"
#include "app/desktop.h"
#include "app/livecommands.h"
#include "ui/shell/rail.h"

#include <QApplication>
#include <QDir>
#include <QTimer>

namespace lockstep {
namespace {

constexpr QSize kWindow(1440, 900);                // the size of the design's pictures
constexpr std::chrono::milliseconds kSettle{1500}; // the first samples of this machine, a painted frame

// Takes the pictures one after the other, each after the event loop has painted.
class Shots : public QObject {
    Q_OBJECT

public:
    Shots(Desktop& desktop, ui::Theme& theme, const QDir& folder, const QList<ui::SchemeChoice>& schemes)
        : m_desktop(desktop), m_theme(theme), m_folder(folder)
    {
        for (const auto scheme : schemes)
            for (const auto& page : {"nodes", "launch", "runs", "run"})
                m_wanted << Wanted{scheme, QString::fromLatin1(page)};
    }

    void take(const QString& runId)
    {
        m_runId = runId;
        next();
    }

signals:
    void done(int exitCode);

private:
    struct Wanted {
        ui::SchemeChoice scheme;
        QString page;
    };

    void next()
    {
        if (m_wanted.isEmpty()) {
            emit done(kExitDone);
            return;
        }
        const Wanted& wanted = m_wanted.first();
        m_theme.setChoice(wanted.scheme);
        if (wanted.page == QLatin1String("run"))
            m_desktop.window().showRun(m_runId);
        else
            m_desktop.window().showPlace(wanted.page == QLatin1String("nodes")    ? ui::Place::Nodes
                                         : wanted.page == QLatin1String("launch") ? ui::Place::Launch
                                                                                  : ui::Place::Runs);
        QTimer::singleShot(kSettle, this, &Shots::grab);
    }

    void grab()
    {
        const Wanted wanted = m_wanted.takeFirst();
        const QString scheme = m_theme.scheme() == ui::Scheme::Dark ? QStringLiteral("dark") : QStringLiteral("light");
        const QString file = m_folder.filePath(QStringLiteral("%1-%2.png").arg(wanted.page, scheme));
        if (!m_desktop.window().grab().save(file)) {
            note(QStringLiteral("lockstep: cannot write %1.").arg(file));
            emit done(kExitFailed);
            return;
        }
        print(file + QLatin1Char('\n'));
        next();
    }

    Desktop& m_desktop;
    ui::Theme& m_theme;
    QDir m_folder;
    QList<Wanted> m_wanted;
    QString m_runId;
};

} // namespace

ui::SchemeChoice choiceOf(const QString& scheme)
{
    if (scheme == QLatin1String("dark"))
        return ui::SchemeChoice::Dark;
    return scheme == QLatin1String("light") ? ui::SchemeChoice::Light : ui::SchemeChoice::System;
}

int takeScreenshots(QApplication& application, const Options& options, Desk& desk)
{
    const QDir folder(options.folder);
    if (!folder.mkpath(QStringLiteral(".")))
        return leave({ErrorCode::Io, QStringLiteral("Cannot make the folder %1.").arg(options.folder), {}},
                     options.output);
    QString wanted;
    if (!options.target.isEmpty()) {
        RunStore store(desk.folder);
        const auto id = store.resolve(options.target);
        if (!id)
            return leave(id.error(), options.output);
        wanted = *id;
    }
    QList<ui::SchemeChoice> schemes{ui::SchemeChoice::Light, ui::SchemeChoice::Dark};
    if (!options.scheme.isEmpty())
        schemes = {choiceOf(options.scheme)};

    ui::Theme theme(application);
    theme.setChoice(schemes.first());
    Desktop desktop(desk, theme);
    Shots shots(desktop, theme, folder, schemes);
    QObject::connect(&desktop, &Desktop::runFinished, &shots, [&](const QString& id) {
        if (wanted.isEmpty() || id == wanted)
            shots.take(id);
    });
    QObject::connect(&shots, &Shots::done, &application, [](int exitCode) { QApplication::exit(exitCode); });
    desktop.window().resize(kWindow);
    desktop.window().show();
    desktop.start();
    if (wanted.isEmpty()) {
        note(QStringLiteral("No --run: running the demo first, about a minute."));
        desktop.launch(RunSpec::demo());
    } else {
        desktop.open(wanted);
    }
    return QApplication::exec();
}

} // namespace lockstep

#include "screenshots.moc"
