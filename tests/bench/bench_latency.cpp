// SPDX-License-Identifier: GPL-3.0-or-later
// bench_latency [POINTS]: from a rank's write to descriptor 3 to the frame that shows it, on this machine: real agent,
// spool, follower, decoder and run page (offscreen). The rank is this program again, and the value it writes is the
// moment of writing.
#include "app/desk.h"
#include "remote/runsession.h"
#include "ui/run/runpage.h"
#include "ui/theme.h"

#include <QApplication>
#include <QDir>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <unistd.h>

using namespace lockstep;

namespace {

constexpr int kMetrics = 3;
constexpr useconds_t kBetweenUs = 53'000; // out of step with frames and beats
constexpr QSize kWindow(1440, 900);

long long monotonicUs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000LL + now.tv_nsec / 1000;
}

int beRank(int points)
{
    for (int step = 1; step <= points; ++step) {
        usleep(kBetweenUs);
        dprintf(kMetrics, "metric - 0 step=%d loss=%lld\n", step, monotonicUs());
    }
    return 0;
}

void print(std::vector<double>& ms)
{
    std::ranges::sort(ms);
    const auto at = [&ms](double part) {
        return ms[static_cast<std::size_t>(part * static_cast<double>(ms.size() - 1))];
    };
    std::printf("write -> painted: %zu points, p50 %.1f ms, p99 %.1f ms, max %.1f ms\n", ms.size(), at(0.5), at(0.99),
                ms.back());
}

} // namespace

int main(int argc, char** argv)
{
    if (QByteArray(argv[0]).endsWith("lockstep-trainer"))
        return beRank(argc > 2 ? std::atoi(argv[2]) : 200);
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const QTemporaryDir folder;
    const QByteArray points = argc > 1 ? argv[1] : "400";
    for (const char* name : {"LOCKSTEP_CACHE_DIR", "LOCKSTEP_RUNS_DIR"})
        qputenv(name, folder.filePath(QString::fromLatin1(name)).toLocal8Bit());
    QDir().mkpath(folder.filePath(QStringLiteral("bundle")));
    QFile::copy(QCoreApplication::applicationFilePath(), folder.filePath(QStringLiteral("bundle/lockstep-trainer")));
    qputenv("LOCKSTEP_BUNDLE", folder.filePath(QStringLiteral("bundle")).toLocal8Bit());
    qputenv("LOCKSTEP_AGENT", QByteArray(LOCKSTEP_BIN_DIR "/lockstep-agent"));

    Desk desk{DataFolder(folder.filePath(QStringLiteral("data")))};
    StoreThread store(desk.folder);
    RunSession session(desk.parts, store);
    RunData data;
    ui::Theme theme(application);
    ui::RunPage page(theme, data);
    page.resize(kWindow);
    page.show();

    std::vector<double> waiting, done; // moments of writing that are in `data` but not painted; latencies
    int frames = 0;
    QObject::connect(&session, &RunSession::planChanged, &data, &RunData::setPlan);
    QObject::connect(&session, &RunSession::stateChanged, &data, &RunData::setState);
    QObject::connect(&session, &RunSession::updated, &data, [&](const RunUpdate& update) {
        data.apply(update);
        for (const auto& [key, list] : update.points)
            if (key.metric == QLatin1String("loss"))
                for (const auto& point : list)
                    waiting.push_back(point.value);
    });
    QTimer look;
    QObject::connect(&look, &QTimer::timeout, &page, [&] {
        if (page.framesPainted() == frames)
            return;
        frames = page.framesPainted();
        for (const double moment : waiting)
            done.push_back((static_cast<double>(monotonicUs()) - moment) / 1000);
        waiting.clear();
    });
    look.start(1);
    QObject::connect(&session, &RunSession::refused, &application,
                     [](const Error& error) { qFatal("%s", qPrintable(error.text)); });
    QObject::connect(&session, &RunSession::finished, &application, &QApplication::quit);

    RunSpec spec;
    spec.name = QStringLiteral("latency");
    spec.arguments = {"--points", points};
    session.launch(spec, Inventory::firstStart().nodes);
    QApplication::exec();
    if (done.size() < 20)
        qFatal("%s", qPrintable(QStringLiteral("only %1 points were painted; the run: %2")
                                    .arg(done.size())
                                    .arg(session.state().reason)));
    print(done);
    return 0;
}
