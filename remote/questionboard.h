// SPDX-License-Identifier: GPL-3.0-or-later
// Where connections put their questions to the person at the desktop, and where the window or the terminal finds them.
// Whoever asks waits on its own worker thread; everything else goes on. Two who ask the same get one answer. Thread:
// its owner's; the board itself is kept on a thread inside, which emits the signals, so that a wait can be ended while
// the owner waits for the one who waits.
#pragma once

#include "core/secret.h"
#include "core/signinquestion.h"
#include "remote/onceanswer.h"

#include <QObject>
#include <QThread>

#include <atomic>
#include <list>
#include <memory>
#include <stop_token>

namespace lockstep {

class QuestionBoard : public QObject {
    Q_OBJECT

public:
    QuestionBoard();
    ~QuestionBoard() override; // nobody may be asking any more

    // Any worker thread. No answer when the person declines, on stop, and after a while in which nobody did anything.
    [[nodiscard]] std::optional<Secret> ask(const SignInQuestion& question, const std::stop_token& stop);

    // Any thread. Answers to a question that is gone are dropped, and wiped.
    void answer(int id, Secret secret);
    void decline(int id);
    [[nodiscard]] QThread& workThread() { return m_thread; }    // for a reader of a terminal to live on
    [[nodiscard]] int openQuestions() const { return m_count; } // any thread

signals:
    void asked(const lockstep::SignInQuestion& question);
    void withdrawn(int id); // answered, declined, or nobody waits any more

private:
    using Waiter = std::shared_ptr<OnceAnswer<std::optional<Secret>>>;
    struct Open {
        SignInQuestion question;
        std::list<Waiter> waiters;
    };
    void add(const SignInQuestion& question, const Waiter& waiter);
    void drop(const Waiter& waiter);
    void close(int id, const std::optional<Secret>& secret);

    template <typename Function>
    void post(Function function)
    {
        QMetaObject::invokeMethod(m_context, std::move(function), Qt::QueuedConnection);
    }

    QThread m_thread;
    QObject* m_context; // lives on the thread, deleted there
    std::list<Open> m_open;
    std::atomic<int> m_count = 0;
    int m_lastId = 0;
};

} // namespace lockstep
