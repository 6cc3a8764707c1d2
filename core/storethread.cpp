// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storethread.h"

namespace lockstep {

StoreThread::StoreThread(DataFolder folder) : m_store(std::move(folder)), m_place(std::make_unique<QObject>())
{
    m_thread.setObjectName(QStringLiteral("store"));
    m_place->moveToThread(&m_thread);
    m_thread.start();
}

StoreThread::~StoreThread()
{
    // Queued behind everything that was posted, so that nothing asked for is dropped.
    QMetaObject::invokeMethod(
        m_place.get(), [this] { m_thread.quit(); }, Qt::QueuedConnection);
    m_thread.wait();
}

void StoreThread::post(std::function<void(RunStore&)> work)
{
    QMetaObject::invokeMethod(
        m_place.get(), [this, work = std::move(work)] { work(m_store); }, Qt::QueuedConnection);
}

} // namespace lockstep
