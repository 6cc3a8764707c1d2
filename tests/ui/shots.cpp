// SPDX-License-Identifier: GPL-3.0-or-later
// ui_shots DIR [WIDTHxHEIGHT]: every page with made-up data, light and dark, as PNG; to be laid beside the target
// pictures. QT_QPA_PLATFORM=offscreen needs no display.
#include "tests/ui/madenodes.h"
#include "tests/ui/maderun.h"
#include "ui/launch/launchpage.h"
#include "ui/mainwindow.h"
#include "ui/nodes/nodespage.h"
#include "ui/run/runpage.h"
#include "ui/run/runpages.h"
#include "ui/runs/runspage.h"
#include "ui/shell/rail.h"
#include "ui/widgets/datatable.h"

#include <QApplication>
#include <QDateTime>
#include <QDir>
#include <QItemSelectionModel>
#include <QPushButton>

#include <cstdio>
#include <tuple>

using namespace lockstep;
using namespace lockstep::ui;

namespace {

struct Shots {
    QApplication& application;
    Theme& theme;
    QDir folder;
    QSize size;

    bool take(QWidget& window, const QString& name) const
    {
        window.resize(size);
        window.show();
        QCoreApplication::sendPostedEvents();
        application.processEvents();
        const QString scheme = theme.scheme() == Scheme::Light ? QStringLiteral("light") : QStringLiteral("dark");
        const QString path = folder.filePath(QStringLiteral("%1-%2.png").arg(name, scheme));
        if (window.grab().save(path))
            return true;
        std::fprintf(stderr, "ui_shots: cannot write %s\n", qPrintable(path));
        return false;
    }
};

const QList<QPair<QString, QString>> kAliases{{QStringLiteral("gpu1"), QStringLiteral("alice@10.0.0.11")},
                                              {QStringLiteral("gpu2"), QStringLiteral("alice@10.0.0.12")},
                                              {QStringLiteral("gpu7"), QStringLiteral("via login")}};

bool firstStart(const Shots& shots)
{
    NodeList nodes;
    RunList runs;
    MainWindow window(shots.theme, nodes, runs);
    made::fill(nodes, made::firstStart());
    ImportOffer offer;
    offer.hosts = kAliases;
    window.nodesPage().setImportOffer(offer);
    bool good = shots.take(window, QStringLiteral("first-start"));
    window.showPlace(Place::Preferences);
    good = shots.take(window, QStringLiteral("preferences")) && good;
    window.showPlace(Place::Keys);
    return shots.take(window, QStringLiteral("keys")) && good;
}

// What the nodes have of the groups of their tags.
void addGroups(NodeList& nodes)
{
    Inventory inventory;
    for (const NodeState& state : nodes.nodes())
        inventory.nodes.append(state.node);
    NodeGroup lab;
    lab.name = QStringLiteral("h100");
    lab.user = QStringLiteral("alice");
    lab.key = QStringLiteral("~/.ssh/id_lab");
    lab.env = {{"NCCL_IB_HCA", "mlx5_0"}, {"NCCL_DEBUG", "WARN"}};
    inventory.groups = {lab};
    for (Node& node : inventory.nodes)
        if (node.tags.contains(lab.name)) {
            node.key = lab.key;
            node.env = lab.env;
            node.env.prepend({"OMP_PROC_BIND", "close"});
        }
    nodes.setInventory(inventory);
}

RunResults results()
{
    RunResults all;
    all.folder = QStringLiteral("/home/alice/.local/share/lockstep/runs/20261129-123000-resnet50-imagenet/results");
    for (const auto& [node, path, size, here] :
         {std::tuple{"gpu1", "checkpoints/step-2000.pt", 204'800'000, 204'800'000},
          {"gpu1", "checkpoints/step-4000.pt", 204'800'000, 83'000'000},
          {"gpu1", "out/confusion.csv", 18'400, 18'400},
          {"gpu2", "out/confusion.csv", 18'391, 18'391}})
        all.files.append({QString::fromLatin1(node), path, {}, size, here, all.folder});
    return all;
}

bool pages(const Shots& shots)
{
    NodeList nodes;
    RunList runs;
    MainWindow window(shots.theme, nodes, runs);
    made::fill(nodes, made::cluster());
    runs.setRuns(made::runs());
    for (const RunSummary& run : runs.runs())
        window.runsPage().setRunSpec(run.id, made::spec(run.number == 11 ? 0.8 : 0.4, run.number % 2));
    window.nodesPage().showNode(QStringLiteral("gpu2"));
    bool good = shots.take(window, QStringLiteral("nodes"));
    addGroups(nodes);
    window.findChild<QPushButton*>(QStringLiteral("editNode"))->click();
    good = shots.take(window, QStringLiteral("nodes-edit")) && good;
    window.launchPage().setSpec(made::spec(0.4, 0));
    window.showPlace(Place::Launch);
    good = shots.take(window, QStringLiteral("launch")) && good;
    for (auto* button : window.findChildren<QPushButton*>())
        if (button->text() == QLatin1String("Advanced"))
            button->setChecked(true);
    good = shots.take(window, QStringLiteral("launch-advanced")) && good;
    window.showPlace(Place::Runs);
    window.resize(shots.size);
    auto* table = window.runsPage().findChild<DataTable*>(QStringLiteral("runs"));
    for (const int row : {1, 2})
        table->selectionModel()->select(table->model()->index(row, 0),
                                        QItemSelectionModel::Select | QItemSelectionModel::Rows);
    return shots.take(window, QStringLiteral("runs")) && good;
}

struct MadePage {
    const char* name;
    const char* title;
    void (*fill)(RunData&, qint64);
};

bool runPages(const Shots& shots)
{
    bool good = true;
    for (const MadePage& page :
         {MadePage{"run-live", "resnet50-imagenet", made::fillLive},
          MadePage{"run-64", "gpt-1b-fineweb", made::fillWide},
          MadePage{"run-failed", "vit-b16-imagenet", made::fillFailed}, MadePage{"run-demo", "demo", made::fillDemo}}) {
        NodeList nodes;
        RunList runs;
        MainWindow window(shots.theme, nodes, runs);
        made::fill(nodes, made::cluster());
        const QString id = QStringLiteral("20261129-123000-") + QLatin1String(page.title);
        page.fill(runs.attach(id), QDateTime::currentMSecsSinceEpoch() * 1000);
        const RunState& state = runs.data(id)->state();
        RunSummary summary;
        summary.id = id;
        summary.number = state.number;
        summary.name = state.name;
        summary.phase = state.phase;
        runs.setRuns({summary});
        window.showRun(id);
        window.resize(shots.size);
        window.show();
        auto* run = window.findChild<RunPage*>();
        while (run && run->framesPainted() == 0)
            shots.application.processEvents(QEventLoop::WaitForMoreEvents);
        good = shots.take(window, QLatin1String(page.name)) && good;
        if (auto* facts = window.findChild<QPushButton*>(QStringLiteral("showFacts"))) {
            facts->setChecked(true);
            good = shots.take(window, QLatin1String(page.name) + QStringLiteral("-facts")) && good;
            facts->setChecked(false);
        }
        RunData& data = *runs.data(id);
        RunSpec spec = data.spec();
        spec.results = {QStringLiteral("checkpoints/*.pt"), QStringLiteral("out/**")};
        data.setPlan(spec, data.plan());
        data.setState(data.state());
        if (auto* files = window.findChild<QPushButton*>(QStringLiteral("showFiles"))) {
            files->setChecked(true);
            window.runPages().setResults(id, results());
            good = shots.take(window, QLatin1String(page.name) + QStringLiteral("-files")) && good;
        }
    }
    return good;
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    if (argc < 2) {
        std::fprintf(stderr, "usage: ui_shots DIR [WIDTHxHEIGHT]\n");
        return 2;
    }
    const QStringList size = QString::fromLocal8Bit(argc > 2 ? argv[2] : "1440x900").split(QLatin1Char('x'));
    QDir().mkpath(QString::fromLocal8Bit(argv[1]));
    Theme theme(application);
    const Shots shots{application, theme, QDir(QString::fromLocal8Bit(argv[1])),
                      QSize(size.value(0).toInt(), size.value(1).toInt())};
    bool good = true;
    for (const SchemeChoice choice : {SchemeChoice::Light, SchemeChoice::Dark}) {
        theme.setChoice(choice);
        good = firstStart(shots) && good;
        good = pages(shots) && good;
        good = runPages(shots) && good;
    }
    return good ? 0 : 1;
}
