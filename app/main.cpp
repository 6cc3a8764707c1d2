// SPDX-License-Identifier: GPL-3.0-or-later
// Which program this is: the window, or one verb of the command line.
#include "app/acceptnode.h"
#include "app/answer.h"
#include "app/deploycommands.h"
#include "app/desktop.h"
#include "app/doctor.h"
#include "app/exportrun.h"
#include "app/inventorycommands.h"
#include "app/livecommands.h"
#include "app/noderuncommands.h"
#include "app/resultscommand.h"
#include "app/screenshots.h"
#include "app/signals.h"
#include "app/standardstreams.h"
#include "app/storedruns.h"
#include "app/terminalquestions.h"
#include "app/windowsettings.h"
#include "remote/descriptorlimit.h"

#include <QApplication>
#include <QDir>
#include <QJsonObject>

namespace lockstep {
namespace {

bool hasDisplay()
{
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
           qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

bool inWindow(const Options& options)
{
    if (options.verb != Verb::Demo)
        return options.verb == Verb::Window;
    return options.display == Display::Window || (options.display == Display::Auto && hasDisplay());
}

bool draws(const Options& options) // a picture, without a window
{
    return options.verb == Verb::Screenshot || (options.verb == Verb::Demo && options.follow == Follow::ToTheEnd) ||
           (options.verb == Verb::Export && options.format == QLatin1String("png"));
}

bool watches(const Options& options) // a run that goes on; Ctrl-C then means the run
{
    return options.verb == Verb::Demo || options.verb == Verb::Run || options.verb == Verb::Attach ||
           options.verb == Verb::Stop;
}

Result<void> exportPicture(QApplication& application, const Options& options, const RunData& data, const QString& file)
{
    ui::Theme theme(application);
    theme.setChoice(choiceOf(options.scheme));
    return writePicture(pictureOf(theme, data), file);
}

int showWindow(QApplication& application, const Options& options, Desk& desk)
{
    std::optional<RunSpec> spec;
    if (options.verb == Verb::Demo) {
        const auto demo = specOf(options);
        if (!demo)
            return leave(demo.error(), options.output);
        spec = *demo;
    }
    ui::Theme theme(application);
    WindowSettings settings(desk.folder);
    theme.setChoice(options.scheme.isEmpty() ? settings.scheme() : choiceOf(options.scheme));
    Desktop desktop(desk, theme);
    QObject::connect(&desktop.window(), &ui::MainWindow::schemeChosen, &desktop,
                     [&settings](ui::SchemeChoice choice) { settings.setScheme(choice); });
    settings.restore(desktop.window());
    desktop.window().show();
    desktop.start();
    if (spec)
        desktop.launch(*spec);
    const int exitCode = QApplication::exec();
    settings.save(desktop.window());
    return exitCode;
}

int exportCommand(QApplication* application, const Options& options, const Desk& desk)
{
    RunStore store(desk.folder);
    const auto id = store.resolve(options.target);
    if (!id)
        return leave(id.error(), options.output);
    RunData data;
    if (auto read = openRun(store, *id, data); !read)
        return leave(read.error(), options.output);
    for (const QString& lacking : lackingIn(store, data))
        note(lacking);
    auto written = application ? exportPicture(*application, options, data, options.file)
                               : writeTable(data, options.format, options.file);
    if (!written)
        return leave(written.error(), options.output);
    if (options.output == Output::Json)
        printJson(QJsonObject{{"file", options.file}});
    else
        note(QStringLiteral("Written: %1").arg(options.file));
    return kExitDone;
}

int runOrDemo(QApplication* application, const Options& options, const Desk& desk)
{
    if (!application)
        return runCommand(options, desk, {});
    return runCommand(options, desk, [application, &options](const RunData& data) {
        const QString file = QDir::current().filePath(QStringLiteral("lockstep-demo.png"));
        const auto written = exportPicture(*application, options, data, file);
        note(written ? QStringLiteral("The curves as a picture: %1").arg(file) : written.error().text);
    });
}

int answer(QApplication* application, const Options& options, Desk& desk)
{
    switch (options.verb) {
    case Verb::Window:
        break;
    case Verb::Demo:
    case Verb::Run:
        return runOrDemo(application, options, desk);
    case Verb::Plan:
        return planCommand(options, desk);
    case Verb::Deploy:
        return deployCommand(options, desk);
    case Verb::Bundles:
        return bundlesCommand(options, desk);
    case Verb::Results:
        return resultsCommand(options, desk);
    case Verb::Doctor:
        return doctorCommand(options, desk);
    case Verb::Nodes:
        if (options.nodesAction == NodesAction::Check)
            return checkNodes(options, desk);
        if (options.nodesAction == NodesAction::Accept)
            return acceptNode(options, desk);
        if (options.nodesAction == NodesAction::Runs)
            return listNodeRuns(options, desk);
        if (options.nodesAction == NodesAction::Clean)
            return cleanNodes(options, desk);
        return inventoryCommand(options, desk.folder);
    case Verb::Runs:
    case Verb::Show:
    case Verb::Logs:
        return storedRuns(options, desk.folder);
    case Verb::Attach:
    case Verb::Stop:
        return attachCommand(options, desk);
    case Verb::Export:
        return exportCommand(application, options, desk);
    case Verb::Screenshot:
        return takeScreenshots(*application, options, desk);
    }
    return kExitBadInput;
}

} // namespace
} // namespace lockstep

int main(int argc, char** argv)
{
    using namespace lockstep;
    openStandardStreams();
    raiseDescriptorLimit();
    const Parsed parsed = parseOptions(argc, argv);
    if (!parsed.options)
        return parsed.exitCode;
    const Options& options = *parsed.options;
    QCoreApplication::setApplicationName(QStringLiteral("lockstep"));
    QCoreApplication::setApplicationVersion(QStringLiteral(LOCKSTEP_VERSION));
    if (inWindow(options)) {
        if (!hasDisplay()) { // Qt would abort
            note(
                QStringLiteral("lockstep: there is no display for the window. `lockstep --help` lists what the command "
                               "line does."));
            return kExitBadInput;
        }
        QApplication application(argc, argv);
        QuestionBoard questions;
        Desk desk{DataFolder(DataFolder::standardPath()), &questions};
        return showWindow(application, options, desk);
    }
    if (watches(options))
        InterruptSignals::block(); // the desk has threads
    std::unique_ptr<QCoreApplication> application;
    if (draws(options)) {
        qputenv("QT_QPA_PLATFORM", "offscreen"); // pictures need fonts, not a display
        application = std::make_unique<QApplication>(argc, argv);
    } else {
        application = std::make_unique<QCoreApplication>(argc, argv);
    }
    const auto terminal = TerminalQuestions::hasTerminal() ? std::make_unique<TerminalQuestions>() : nullptr;
    Desk desk{DataFolder(DataFolder::standardPath()), terminal ? &terminal->board() : nullptr};
    const int code = answer(qobject_cast<QApplication*>(application.get()), options, desk);
    const auto lost = outputLost();
    if (lost)
        note(QStringLiteral("lockstep: ") + *lost);
    return lost && code == kExitDone ? kExitFailed : code;
}
