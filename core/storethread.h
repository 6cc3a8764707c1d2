// SPDX-License-Identifier: GPL-3.0-or-later
// The one thread that owns the run files and SQLite. Others hand it functions over the store and get the result as a
// future (worker threads, which may wait) or as a queued call (GUI, which may not).
#pragma once

#include "core/runstore.h"

#include <QFutureWatcher>
#include <QPromise>
#include <QThread>

#include <functional>
#include <future>
#include <memory>
#include <type_traits>

namespace lockstep {

class StoreThread {
public:
    explicit StoreThread(DataFolder folder);
    ~StoreThread(); // what was asked before is done first
    StoreThread(const StoreThread&) = delete;
    StoreThread& operator=(const StoreThread&) = delete;

    // Any thread but the store thread itself. The order of the calls of one thread is kept.
    template <typename F>
    [[nodiscard]] std::future<std::invoke_result_t<F, RunStore&>> ask(F work)
    {
        auto task =
            std::make_shared<std::packaged_task<std::invoke_result_t<F, RunStore&>(RunStore&)>>(std::move(work));
        auto answer = task->get_future();
        post([task](RunStore& store) { (*task)(store); });
        return answer;
    }

    // From the thread of `receiver`: `then(result)` is called there, never after the receiver's end.
    template <typename F, typename Then>
    void ask(F work, QObject* receiver, Then then)
    {
        using R = std::invoke_result_t<F, RunStore&>;
        auto promise = std::make_shared<QPromise<R>>();
        promise->start();
        auto* watcher = new QFutureWatcher<R>(receiver);
        QObject::connect(watcher, &QFutureWatcherBase::finished, receiver, [watcher, then = std::move(then)]() mutable {
            watcher->deleteLater();
            then(watcher->future().takeResult());
        });
        watcher->setFuture(promise->future());
        post([promise, work = std::move(work)](RunStore& store) mutable {
            promise->addResult(work(store));
            promise->finish();
        });
    }

    void post(std::function<void(RunStore&)> work);

private:
    RunStore m_store;
    QThread m_thread;
    std::unique_ptr<QObject> m_place; // lives in m_thread
};

} // namespace lockstep
