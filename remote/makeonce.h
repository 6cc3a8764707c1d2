// SPDX-License-Identifier: GPL-3.0-or-later
// One thing that many want and one makes: a connection, an unlocked key. Whoever needs it first makes it, on its own
// worker thread; the others wait for that.
#pragma once

#include "remote/iothread.h"
#include "remote/onceanswer.h"
#include "remote/waiting.h"

#include <vector>

namespace lockstep {

enum class Keep { Always, WhileUsed };

template <typename T> // Thread: I/O
class MakeOnce {
public:
    using Ready = OnceAnswer<Result<std::shared_ptr<T>>>;
    enum class Turn { Ready, Make, Wait };
    struct Ticket {
        Turn turn = Turn::Ready;
        std::shared_ptr<T> value;     // Ready
        std::shared_ptr<Ready> ready; // Wait
    };

    explicit MakeOnce(Keep keep = Keep::Always) : m_keep(keep) {}

    // Make: the caller makes it and must call made() afterwards, whatever came of it. `good`: the one there is will do.
    template <typename Good>
    [[nodiscard]] Ticket ask(Good good)
    {
        if (const auto value = m_used.lock(); value && good(*value)) {
            if (m_keep == Keep::Always)
                m_kept = value; // it was let go of while it was doubted
            return {Turn::Ready, value, {}};
        }
        m_kept.reset(); // known as long as others use it: it may be good again
        if (!std::exchange(m_making, true))
            return {Turn::Make, {}, {}};
        m_waiting.push_back(std::make_shared<Ready>());
        return {Turn::Wait, {}, m_waiting.back()};
    }

    void made(const Result<std::shared_ptr<T>>& result)
    {
        m_making = false;
        if (result) {
            m_used = *result;
            m_kept = m_keep == Keep::Always ? *result : nullptr;
        }
        for (const auto& ready : std::exchange(m_waiting, {}))
            ready->give(result);
    }

    [[nodiscard]] std::shared_ptr<T> value() const { return m_used.lock(); }

private:
    Keep m_keep;
    std::shared_ptr<T> m_kept;
    std::weak_ptr<T> m_used;
    bool m_making = false;
    std::vector<std::shared_ptr<Ready>> m_waiting;
};

// How long others may take over what we wait for: a person who is asked for a passphrase included.
constexpr std::chrono::minutes kOthersTime{40};

// Worker thread. `place`: the MakeOnce, on the I/O thread. The time that others take does not count: `deadline` moves.
template <typename T, typename Place, typename Good, typename Make>
[[nodiscard]] Result<std::shared_ptr<T>> shareOrMake(IoThread& io, Place place, Good good, Make make,
                                                     Deadline& deadline, const std::stop_token& stop,
                                                     const QString& what)
{
    using Turn = typename MakeOnce<T>::Turn;
    for (;;) {
        auto ticket = io.ask([&]() -> typename MakeOnce<T>::Ticket { return place().ask(good); });
        if (ticket.turn == Turn::Ready)
            return std::move(ticket.value);
        if (ticket.turn == Turn::Make) {
            auto result = make();
            io.ask([&] { place().made(result); });
            return result;
        }
        const auto begin = std::chrono::steady_clock::now();
        auto future = ticket.ready->future();
        auto waited =
            await(future, Deadline::in(kOthersTime), stop, [&io, &what, ready = ticket.ready](ErrorCode code) {
                io.post([ready, code, text = QStringLiteral("%1 did not stand in time.").arg(what)] {
                    ready->give(failure(code, text));
                });
            });
        deadline = later(deadline, std::chrono::steady_clock::now() - begin);
        // The one who was making it may have had less time, or been stopped; then it is our turn.
        const bool ended =
            !waited && (waited.error().code == ErrorCode::Timeout || waited.error().code == ErrorCode::Stopped);
        if (!ended || passed(deadline) || stop.stop_requested())
            return waited;
    }
}

} // namespace lockstep
