// SPDX-License-Identifier: GPL-3.0-or-later
// Work that waits for nodes, off the GUI thread: each question on a thread of its own, its answer where it was asked.
// At its end what still goes on is asked to stop and waited for. Thread: GUI.
#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QPromise>

#include <list>
#include <memory>
#include <stop_token>
#include <thread>
#include <type_traits>

namespace lockstep {

class Worker : public QObject {
public:
    using QObject::QObject;

    // work(stop_token) -> R; then(R) in this thread, never after the Worker's end.
    template <typename Work, typename Then>
    void ask(Work work, Then then)
    {
        using R = std::invoke_result_t<Work, std::stop_token>;
        auto promise = std::make_shared<QPromise<R>>();
        promise->start();
        auto* watcher = new QFutureWatcher<R>(this);
        const auto thread = m_threads.emplace(m_threads.end());
        connect(watcher, &QFutureWatcherBase::finished, this,
                [this, watcher, thread, then = std::move(then)]() mutable {
                    watcher->deleteLater();
                    auto answer = watcher->future().takeResult();
                    m_threads.erase(thread); // it has said all it had to say
                    then(std::move(answer));
                });
        watcher->setFuture(promise->future());
        *thread = std::jthread([promise, work = std::move(work)](std::stop_token stop) mutable {
            promise->addResult(work(stop));
            promise->finish();
        });
    }

private:
    std::list<std::jthread> m_threads;
};

} // namespace lockstep
