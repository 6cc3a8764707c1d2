// SPDX-License-Identifier: GPL-3.0-or-later
// bench_start [TIMES]: from the start of the process to the painted first page of the window (offscreen), with an empty
// data folder. Beside it an empty Qt window of the same size, the floor on this machine. Each time a process of its
// own.
#include "app/desktop.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>

using namespace lockstep;

namespace {

constexpr QSize kWindow(1440, 900);

class FirstPaint : public QObject { // leaves when the watched window has been painted
public:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Paint && watched->isWidgetType())
            QMetaObject::invokeMethod(qApp, &QCoreApplication::quit, Qt::QueuedConnection);
        return false;
    }
};

int showOnce(QApplication& application, const QByteArray& what)
{
    FirstPaint painted;
    if (what == "empty") {
        QWidget window;
        window.installEventFilter(&painted);
        window.resize(kWindow);
        window.show();
        return QApplication::exec();
    }
    const QTemporaryDir folder;
    Desk desk{DataFolder(folder.path())};
    ui::Theme theme(application);
    Desktop desktop(desk, theme);
    desktop.window().installEventFilter(&painted);
    desktop.window().resize(kWindow);
    desktop.window().show();
    desktop.start();
    const int code = QApplication::exec();
    std::fflush(stdout);
    _exit(code); // the end of the program is not what is measured
}

double medianMs(const char* self, const char* what, int times)
{
    std::vector<double> ms;
    for (int i = 0; i < times; ++i) {
        QElapsedTimer clock;
        clock.start();
        if (QProcess::execute(QString::fromLocal8Bit(self), {QStringLiteral("--show"), QString::fromLatin1(what)}) != 0)
            qFatal("the window did not come");
        ms.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    std::ranges::sort(ms);
    std::printf("%-8s median %.0f ms, from %.0f to %.0f\n", what, ms[ms.size() / 2], ms.front(), ms.back());
    return ms[ms.size() / 2];
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    if (argc == 3 && QByteArray(argv[1]) == "--show") {
        QApplication application(argc, argv);
        return showOnce(application, argv[2]);
    }
    const int times = argc > 1 ? std::atoi(argv[1]) : 9;
    const double window = medianMs(argv[0], "lockstep", times);
    const double floor = medianMs(argv[0], "empty", times);
    std::printf("lockstep / empty window: %.2f\n", window / floor);
    return 0;
}
