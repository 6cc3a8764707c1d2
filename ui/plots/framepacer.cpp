// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/framepacer.h"

#include <algorithm>

namespace lockstep::ui {

FramePacer::FramePacer(std::chrono::milliseconds interval, QObject* parent)
    : QObject(parent), m_least(interval), m_interval(interval)
{
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        m_sinceLast.start();
        emit frame();
    });
}

void FramePacer::frameTook(std::chrono::milliseconds cost)
{
    m_interval = std::max(m_least, 2 * cost);
}

void FramePacer::request()
{
    if (m_timer.isActive())
        return;
    const std::chrono::milliseconds passed{m_sinceLast.isValid() ? m_sinceLast.elapsed() : m_interval.count()};
    m_timer.start(std::max(m_interval - passed, std::chrono::milliseconds{0}));
}

} // namespace lockstep::ui
