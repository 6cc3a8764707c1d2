// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshtransport.h"

#include "remote/makeonce.h"
#include "remote/sshconnector.h"
#include "remote/sshprocess.h"

#include <array>

namespace lockstep {

namespace {

// Of one lane. Each carries as many programs as the server's MaxSessions allows (10 by default, 1 at some sites).
constexpr std::size_t kConnections = 8;

} // namespace

struct SshTransport::State {
    std::array<std::array<MakeOnce<SshSession>, kConnections>, 2> lanes;
    std::stop_source open; // replaced by close()
    std::optional<SeenHostKey> seen;
    QString signedInWith;

    [[nodiscard]] MakeOnce<SshSession>& lane(Lane which, std::size_t index)
    {
        return lanes[static_cast<std::size_t>(which)][index];
    }
};

SshTransport::SshTransport(Node node, IoThread& io, SshSettings settings)
    : m_node(std::move(node)), m_io(io), m_settings(std::move(settings)), m_state(std::make_shared<State>())
{
}

SshTransport::~SshTransport()
{
    close();
    m_io.post([state = std::move(m_state)] {}); // the last owner must be the I/O thread
}

Result<void> SshTransport::connect(Deadline deadline, std::stop_token stop)
{
    if (auto ready = session(Lane::Control, 0, deadline, stop); !ready)
        return std::unexpected(ready.error());
    return {};
}

Result<std::shared_ptr<SshSession>> SshTransport::session(Lane which, std::size_t index, Deadline& deadline,
                                                          const std::stop_token& stop)
{
    const QString what = QStringLiteral("The connection to %1").arg(m_node.name);
    auto result = shareOrMake<SshSession>(
        m_io, [&]() -> auto& { return m_state->lane(which, index); },
        [](const SshSession& session) { return !session.lost(); }, [&] { return connectNew(deadline, stop); }, deadline,
        stop, what);
    if (!result)
        result.error().node = m_node.name;
    return result;
}

Result<std::shared_ptr<SshSession>> SshTransport::connectNew(Deadline& deadline, const std::stop_token& stop)
{
    // Either ends the attempt: the caller's stop, and close().
    const std::stop_token open = m_io.ask([&] { return m_state->open.get_token(); });
    std::stop_source either;
    const std::stop_callback onStop(stop, [&either] { either.request_stop(); });
    const std::stop_callback onClose(open, [&either] { either.request_stop(); });
    SshConnector connector(m_node, m_io, m_settings);
    auto signedIn = connector.connect(deadline, either.get_token());
    return m_io.ask([&]() -> Result<std::shared_ptr<SshSession>> {
        m_state->seen = connector.seen();
        if (open.stop_requested())
            return failure(ErrorCode::ConnectionLost,
                           QStringLiteral("The connection to %1 was closed.").arg(m_node.name), m_node.name);
        if (!signedIn)
            return std::unexpected(signedIn.error());
        m_state->signedInWith = signedIn->with;
        return SshSession::share(
            new SshSession(std::move(signedIn->session), m_node.name, std::move(signedIn->carrier)));
    });
}

Result<std::unique_ptr<Process>> SshTransport::start(const QList<QByteArray>& argv, Deadline deadline,
                                                     std::stop_token stop, Lane lane)
{
    bool replaced = false; // a connection that had died unnoticed is replaced once
    for (std::size_t index = 0; index < kConnections;) {
        auto ready = session(lane, index, deadline, stop);
        if (!ready)
            return std::unexpected(ready.error());
        auto process = SshProcess::start(m_io, std::move(*ready), argv, deadline, stop);
        const ErrorCode code = process ? ErrorCode::BadInput : process.error().code;
        if (!process && code == ErrorCode::Busy)
            ++index; // this connection is full
        else if (process || code != ErrorCode::ConnectionLost || std::exchange(replaced, true))
            return process;
    }
    return failure(ErrorCode::Busy,
                   QStringLiteral("%1 lets nobody start another program: %2 connections are full.")
                       .arg(m_node.name)
                       .arg(kConnections),
                   m_node.name);
}

void SshTransport::close()
{
    m_io.post([state = m_state, name = m_node.name] {
        const Error error{ErrorCode::ConnectionLost, QStringLiteral("The connection to %1 was closed.").arg(name),
                          name};
        std::exchange(state->open, std::stop_source()).request_stop();
        for (auto& lanes : state->lanes)
            for (MakeOnce<SshSession>& lane : lanes) {
                if (const auto session = lane.value())
                    session->lose(error);
                lane.forget();
            }
    });
}

std::optional<HostKey> SshTransport::hostKey() const
{
    return m_io.ask([this]() -> std::optional<HostKey> {
        if (!m_state->seen)
            return {};
        return m_state->seen->shown;
    });
}

QString SshTransport::signedInWith() const
{
    return m_io.ask([this] { return m_state->signedInWith; });
}

Result<void> SshTransport::acceptHostKey(const QString& fingerprint)
{
    const auto seen = m_io.ask([this] { return m_state->seen; });
    if (!seen || seen->key.fingerprint() != fingerprint)
        return failure(
            ErrorCode::HostKeyUnknown,
            QStringLiteral("%1 now shows another host key (%2) than the one that was accepted (%3). Look again.")
                .arg(m_node.name, seen ? seen->key.fingerprint() : QStringLiteral("none"), fingerprint),
            m_node.name);
    return HostKeyCheck::accept(*seen, m_node.name);
}

} // namespace lockstep
