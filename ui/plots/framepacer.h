// SPDX-License-Identifier: GPL-3.0-or-later
// Many wishes to repaint, at most 30 frames a second, none without a wish: an idle page costs nothing. Thread: GUI.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <chrono>

namespace lockstep::ui {

class FramePacer : public QObject {
    Q_OBJECT

public:
    static constexpr std::chrono::milliseconds kFrame{34}; // just under 30 a second

    explicit FramePacer(std::chrono::milliseconds interval = kFrame, QObject* parent = nullptr);
    void request();
    // A frame took this long: the next one waits as long again, so that at least half of the thread stays free.
    void frameTook(std::chrono::milliseconds cost);

signals:
    void frame();

private:
    QTimer m_timer;
    QElapsedTimer m_sinceLast;
    std::chrono::milliseconds m_least;
    std::chrono::milliseconds m_interval;
};

} // namespace lockstep::ui
