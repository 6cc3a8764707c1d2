// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/connectturn.h"

#include "remote/onceanswer.h"
#include "remote/sshshared.h"

namespace lockstep {

namespace {

constexpr std::chrono::minutes kTurnTime{10}; // hundreds of nodes behind one slow sshd

} // namespace

Result<std::unique_ptr<ConnectTurn>> ConnectTurn::take(IoThread& io, const QString& server, const QString& name,
                                                       Deadline& deadline, const std::stop_token& stop)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto turn = std::make_shared<OnceAnswer<Result<void>>>();
    auto future = turn->future();
    io.post([&io, server, turn] { io.shared().window.enter(server, [turn] { return turn->give({}); }); });
    auto entered = await(future, Deadline::in(kTurnTime), stop, [&io, turn, name](ErrorCode code) {
        io.post([turn, code, name] {
            turn->give(failure(code, QStringLiteral("Connecting to %1 did not come to its turn in time.").arg(name)));
        });
    });
    if (!entered)
        return std::unexpected(entered.error());
    deadline = later(deadline, std::chrono::steady_clock::now() - begin);
    return std::unique_ptr<ConnectTurn>(new ConnectTurn(io, server));
}

void ConnectTurn::leave(ConnectWindow::Left how)
{
    if (std::exchange(m_left, true))
        return;
    m_io.post([&io = m_io, server = m_server, how] { io.shared().window.leave(server, how); });
}

} // namespace lockstep
