// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/questionboard.h"

#include <chrono>

namespace lockstep {

namespace {

constexpr std::chrono::minutes kAnswerTime{30}; // a person may be away; what waits meanwhile holds no connection

bool sameQuestion(const SignInQuestion& a, const SignInQuestion& b)
{
    // A server's own prompts are of one connection each: a code is good once.
    return a.kind == b.kind && a.whom == b.whom && a.kind != SignInQuestion::Kind::Prompt;
}

} // namespace

QuestionBoard::QuestionBoard() : m_context(new QObject)
{
    m_thread.setObjectName(QStringLiteral("questions"));
    m_context->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_context, &QObject::deleteLater);
    m_thread.start();
}

QuestionBoard::~QuestionBoard()
{
    post([this] { m_thread.quit(); }); // behind everything posted so far
    m_thread.wait();
}

std::optional<Secret> QuestionBoard::ask(const SignInQuestion& question, const std::stop_token& stop)
{
    const auto waiter = std::make_shared<OnceAnswer<std::optional<Secret>>>();
    auto future = waiter->future();
    post([this, question, waiter] { add(question, waiter); });
    const auto giveUp = [this, &waiter] { post([this, waiter] { drop(waiter); }); };
    const std::stop_callback onStop(stop, giveUp);
    if (future.wait_for(kAnswerTime) == std::future_status::timeout)
        giveUp();
    return future.get();
}

void QuestionBoard::answer(int id, Secret secret)
{
    post([this, id, held = std::make_shared<std::optional<Secret>>(std::move(secret))] { close(id, *held); });
}

void QuestionBoard::decline(int id)
{
    post([this, id] { close(id, {}); });
}

void QuestionBoard::add(const SignInQuestion& question, const Waiter& waiter)
{
    for (Open& open : m_open)
        if (sameQuestion(open.question, question)) {
            open.waiters.push_back(waiter);
            return;
        }
    m_open.push_back({question, {waiter}});
    m_open.back().question.id = ++m_lastId;
    ++m_count;
    emit asked(m_open.back().question);
}

void QuestionBoard::drop(const Waiter& waiter)
{
    waiter->give({});
    for (auto open = m_open.begin(); open != m_open.end(); ++open) {
        if (open->waiters.remove(waiter) == 0 || !open->waiters.empty())
            continue;
        const int id = open->question.id;
        m_open.erase(open);
        --m_count;
        emit withdrawn(id);
        return;
    }
}

void QuestionBoard::close(int id, const std::optional<Secret>& secret)
{
    const auto open = std::find_if(m_open.begin(), m_open.end(), [id](const Open& o) { return o.question.id == id; });
    if (open == m_open.end())
        return;
    const auto waiters = std::move(open->waiters);
    m_open.erase(open);
    --m_count;
    for (const Waiter& waiter : waiters)
        waiter->give(secret ? std::optional<Secret>(secret->copy()) : std::nullopt);
    emit withdrawn(id);
}

} // namespace lockstep
