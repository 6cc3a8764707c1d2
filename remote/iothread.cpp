// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/iothread.h"

#include "remote/sshshared.h"

namespace lockstep {

namespace {

constexpr int kLastTurns = 20; // twice as many as there may be jump hosts before each other

} // namespace

IoThread::IoThread() : m_context(new QObject), m_shared(std::make_unique<SshShared>())
{
    m_thread.setObjectName(QStringLiteral("ssh-io"));
    m_context->moveToThread(&m_thread);
    QObject::connect(&m_thread, &QThread::finished, m_context, &QObject::deleteLater);
    m_thread.start();
}

IoThread::~IoThread()
{
    leave(kLastTurns);
    m_thread.wait();
}

// Queued behind everything posted so far, so that the last closings still happen; a session that goes lets go of the
// jump host's one turn later.
void IoThread::leave(int turns)
{
    if (turns > 0)
        post([this, turns] { leave(turns - 1); });
    else
        m_thread.quit();
}

} // namespace lockstep
