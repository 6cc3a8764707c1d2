// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/iothread.h"

#include "remote/connectwindow.h"

namespace lockstep {

IoThread::IoThread() : m_context(new QObject), m_window(std::make_unique<ConnectWindow>())
{
    m_thread.setObjectName(QStringLiteral("ssh-io"));
    m_context->moveToThread(&m_thread);
    QObject::connect(&m_thread, &QThread::finished, m_context, &QObject::deleteLater);
    m_thread.start();
}

IoThread::~IoThread()
{
    // Queued behind everything posted so far, so that the last closings still happen.
    post([this] { m_thread.quit(); });
    m_thread.wait();
}

} // namespace lockstep
