// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/rollcall.h"

#include "trainer/comparison.h"
#include "trainer/failure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

namespace lockstep::trainer {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFirstLook{1};
constexpr milliseconds kBetweenLooks{50}; // at most: a thousand ranks ask one store
constexpr milliseconds kToldPatience{1000};
constexpr std::chrono::seconds kClockSlack{5};
constexpr std::string_view kAll = "all";

std::string randomId()
{
    std::random_device source;
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%08x%08x", source(), source());
    return text.data();
}

std::string keyOf(const char* what, const std::string& run, int rank)
{
    return std::string(what) + "/" + run + "/" + std::to_string(rank);
}

// Looks again and again, quickly at first, until `done` or the deadline; returns whether it was done.
template <typename Done>
bool lookUntil(Clock::time_point end, Done done)
{
    for (milliseconds pause = kFirstLook;; pause = std::min(2 * pause, kBetweenLooks)) {
        if (done())
            return true;
        if (Clock::now() >= end)
            return false;
        std::this_thread::sleep_for(pause);
    }
}

class RollCall {
public:
    RollCall(Board& board, const Caller& caller, milliseconds deadline)
        : m_board(board), m_caller(caller), m_deadline(deadline), m_end(caller.came + deadline), m_sign(randomId())
    {
    }

    std::string lead() // rank 0
    {
        m_run = randomId();
        noteTime();
        signIn();
        m_board.write("run", m_run);
        std::vector<std::string> signs;
        lookUntil(m_end, [&] {
            while (static_cast<int>(signs.size()) < m_caller.world) {
                const auto note = m_board.read(keyOf("here", m_run, static_cast<int>(signs.size())));
                if (!note)
                    return false;
                signs.push_back(checked(*note, static_cast<int>(signs.size())));
            }
            return true;
        });
        if (static_cast<int>(signs.size()) < m_caller.world)
            refuseAll(ExitCode::Rendezvous, missing());
        std::string answer(kAll);
        for (const std::string& sign : signs)
            answer += " " + sign;
        m_board.write("answer/" + m_run, answer);
        return m_run;
    }

    std::string follow() // all others
    {
        noteTime();
        const bool here = lookUntil(m_end, [this] {
            if (const auto run = m_board.read("run"); run && *run != m_run) {
                m_run = *run;
                m_completeWithout = 0;
                signIn();
            }
            return !m_run.empty() && obey();
        });
        if (!here)
            throw Failure(ExitCode::Rendezvous, missing());
        return m_run;
    }

private:
    void noteTime() { m_board.write("came/" + std::to_string(m_caller.rank), std::to_string(wallSeconds())); }

    void signIn() { m_board.write(keyOf("here", m_run, m_caller.rank), std::to_string(m_caller.world) + " " + m_sign); }

    // The sign of a note. Another number of ranks cannot be waited for: all are told.
    std::string checked(const std::string& note, int rank)
    {
        const std::size_t blank = std::min(note.find(' '), note.size());
        const std::string world = note.substr(0, blank);
        if (world != std::to_string(m_caller.world))
            refuseAll(ExitCode::Mismatch, "rank " + std::to_string(rank) + " has WORLD_SIZE " + world +
                                              ", rank 0 has " + std::to_string(m_caller.world));
        return note.substr(std::min(blank + 1, note.size()));
    }

    // Says it to those that are here, waits a moment for them to have read it (the store ends with this process), and
    // throws it here.
    [[noreturn]] void refuseAll(ExitCode code, const std::string& sentence)
    {
        std::vector<int> told;
        std::string answer = std::to_string(static_cast<int>(code));
        for (int rank = 1; rank < m_caller.world; ++rank) {
            if (const auto note = m_board.read(keyOf("here", m_run, rank))) {
                told.push_back(rank);
                answer += " " + note->substr(std::min(note->find(' ') + 1, note->size()));
            }
        }
        m_board.write("answer/" + m_run, answer + "\n" + sentence);
        lookUntil(Clock::now() + kToldPatience, [&] {
            while (!told.empty() && m_board.read(keyOf("told", m_run, told.back())))
                told.pop_back();
            return told.empty();
        });
        throw Failure(code, sentence);
    }

    // Whether rank 0's answer is there and lets this rank go on.
    bool obey()
    {
        const auto answer = m_board.read("answer/" + m_run);
        if (!answer)
            return false;
        std::istringstream head(answer->substr(0, answer->find('\n')));
        std::string word;
        head >> word;
        std::vector<std::string> signs;
        for (std::string sign; head >> sign;)
            signs.push_back(sign);
        if (word == kAll)
            return amongAll(signs);
        if (std::ranges::find(signs, m_sign) == signs.end())
            return false; // an earlier run's
        m_board.write(keyOf("told", m_run, m_caller.rank), "1");
        int code = static_cast<int>(ExitCode::Rendezvous);
        std::from_chars(word.data(), word.data() + word.size(), code);
        throw Failure(code == static_cast<int>(ExitCode::Mismatch) ? ExitCode::Mismatch : ExitCode::Rendezvous,
                      answer->substr(std::min(answer->find('\n') + 1, answer->size())));
    }

    bool amongAll(const std::vector<std::string>& signs)
    {
        const auto own = static_cast<std::size_t>(m_caller.rank);
        if (own < signs.size() && signs[own] == m_sign) // its world is rank 0's, or that had refused it
            return true;
        const auto note = m_board.read(keyOf("here", m_run, m_caller.rank));
        if (!note || !note->ends_with(m_sign))
            refuseTwice();
        m_completeWithout = signs.size();
        return false; // an earlier run's, or one that is complete without this rank
    }

    [[noreturn]] void refuseTwice() const
    {
        throw Failure(ExitCode::Rendezvous, "another process came to " + m_caller.where + " as rank " +
                                                std::to_string(m_caller.rank) + " too");
    }

    std::string missing()
    {
        const auto own = static_cast<std::size_t>(m_caller.rank);
        if (m_completeWithout == static_cast<std::size_t>(m_caller.world) && own < m_completeWithout && isHere(0))
            refuseTwice(); // it overwrote this rank's note after rank 0 had counted the other
        if (m_completeWithout > 0 && isHere(0))
            throw Failure(ExitCode::Mismatch, "this rank has WORLD_SIZE " + std::to_string(m_caller.world) +
                                                  ", but at " + m_caller.where + " " +
                                                  std::to_string(m_completeWithout) + " ranks met without it");
        std::vector<int> here;
        std::vector<int> away;
        for (int rank = 0; rank < m_caller.world; ++rank)
            (isHere(rank) ? here : away).push_back(rank);
        std::array<char, 32> seconds{};
        std::snprintf(seconds.data(), seconds.size(), "%.3g", static_cast<double>(m_deadline.count()) / 1000);
        return std::to_string(away.size()) + " of " + std::to_string(m_caller.world) + " ranks did not come to " +
               m_caller.where + " within " + seconds.data() + " s: missing " + rankRanges(away) + "; here " +
               rankRanges(here);
    }

    // Rank 0 counts the signs of its run; the others, whose rank 0 may be the one that is missing, those that came
    // lately by their own clocks.
    bool isHere(int rank)
    {
        if (m_caller.rank == 0)
            return m_board.read(keyOf("here", m_run, rank)).has_value();
        const std::string came = m_board.read("came/" + std::to_string(rank)).value_or("");
        std::int64_t at = 0;
        std::from_chars(came.data(), came.data() + came.size(), at);
        return std::chrono::seconds(std::abs(wallSeconds() - at)) <= m_deadline + kClockSlack;
    }

    static std::int64_t wallSeconds()
    {
        return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    }

    Board& m_board;
    const Caller& m_caller;
    milliseconds m_deadline;
    Clock::time_point m_end;
    std::string m_sign;
    std::string m_run;
    std::size_t m_completeWithout = 0; // ranks of a run that was complete before this one came
};

} // namespace

std::string callRoll(Board& board, const Caller& caller, milliseconds deadline)
{
    RollCall call(board, caller, deadline);
    return caller.rank == 0 ? call.lead() : call.follow();
}

} // namespace lockstep::trainer
