// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshtransport.h"

#include "remote/sharedsession.h"
#include "remote/sshconnector.h"
#include "remote/sshprocess.h"

#include <QLoggingCategory>

#include <array>

namespace lockstep {

namespace {

Q_LOGGING_CATEGORY(logSsh, "lockstep.ssh")

// Of one lane. Each carries as many programs as the server's MaxSessions allows (10 by default, 1 at some sites).
constexpr std::size_t kConnections = 8;

enum class Which { Silent, All };

} // namespace

struct SshTransport::State {
    std::array<std::array<MakeOnce<SshSession>, kConnections>, 2> lanes;
    std::optional<SeenHostKey> seen;
    QString signedInWith;
    SshSignIn::By signedInBy = SshSignIn::By::Key;
    bool saidFull = false;

    State() { lanes[static_cast<std::size_t>(Lane::Bulk)].fill(MakeOnce<SshSession>(Keep::WhileUsed)); }

    [[nodiscard]] MakeOnce<SshSession>& lane(Lane which, std::size_t index)
    {
        return lanes[static_cast<std::size_t>(which)][index];
    }

    void lose(const Error& error, Which which)
    {
        for (const auto& lane : lanes)
            for (const auto& place : lane)
                if (const auto session = place.value(); session && (which == Which::All || !session->usable()))
                    session->lose(error);
    }
};

SshTransport::SshTransport(Node node, IoThread& io, SshSettings settings)
    : m_node(std::move(node)), m_io(io), m_settings(std::move(settings)), m_state(std::make_shared<State>())
{
}

SshTransport::~SshTransport()
{
    m_io.post([state = std::move(m_state), name = m_node.name] { // the last owner must be the I/O thread
        state->lose({ErrorCode::ConnectionLost, QStringLiteral("The connection to %1 was closed.").arg(name), name},
                    Which::All);
    });
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
    SessionPlace place;
    place.at = [&]() -> MakeOnce<SshSession>& { return m_state->lane(which, index); };
    place.connect = [&] { return connectNew(which, index, deadline, stop); };
    place.name = QStringLiteral("The connection to %1").arg(m_node.name);
    auto result = sharedSession(m_io, place, deadline, stop);
    if (!result)
        result.error().node = m_node.name;
    return result;
}

Result<std::shared_ptr<SshSession>> SshTransport::connectNew(Lane which, std::size_t index, Deadline& deadline,
                                                             const std::stop_token& stop)
{
    SshConnector connector(m_node, m_io, m_settings);
    const auto needed = [&] { return m_io.ask([&] { return !heardAgain(m_state->lane(which, index)); }); };
    auto signedIn = connector.connect(needed, deadline, stop);
    return m_io.ask([&]() -> Result<std::shared_ptr<SshSession>> {
        if (connector.seen()) // else it did not come that far: the one before is still the last that was seen
            m_state->seen = connector.seen();
        if (auto before = heardAgain(m_state->lane(which, index)))
            return before;
        if (!signedIn)
            return std::unexpected(signedIn.error());
        m_state->signedInWith = signedIn->with;
        m_state->signedInBy = signedIn->by;
        m_state->lose({ErrorCode::ConnectionLost,
                       QStringLiteral("%1 was silent; there is a new connection to it.").arg(m_node.name), m_node.name},
                      Which::Silent);
        return SshSession::make(std::move(signedIn->session), m_node.name, std::move(signedIn->carrier));
    });
}

Result<std::unique_ptr<Process>> SshTransport::start(const QList<QByteArray>& argv, Deadline deadline,
                                                     std::stop_token stop, Lane lane)
{
    if (lane == Lane::Bulk && m_io.ask([this] { return m_state->signedInBy == SshSignIn::By::Person; }))
        lane = Lane::Control;
    bool replaced = false; // a connection that had died unnoticed is replaced once
    for (std::size_t index = 0; index < kConnections;) {
        auto ready = session(lane, index, deadline, stop);
        if (!ready)
            return std::unexpected(ready.error());
        auto process = SshProcess::start(m_io, std::move(*ready), argv, deadline, stop);
        const ErrorCode code = process ? ErrorCode::BadInput : process.error().code;
        if (!process && code == ErrorCode::Busy)
            sayFull(++index);
        else if (process || code != ErrorCode::ConnectionLost || std::exchange(replaced, true))
            return process;
    }
    return failure(ErrorCode::Busy,
                   QStringLiteral("%1 lets nobody start another program: %2 connections are full.")
                       .arg(m_node.name)
                       .arg(kConnections),
                   m_node.name);
}

// Once: a server that takes few programs on a connection (MaxSessions) is asked in again for more of them.
void SshTransport::sayFull(std::size_t connections)
{
    if (!m_io.ask([this] { return std::exchange(m_state->saidFull, true); }))
        qCInfo(logSsh).noquote() << QStringLiteral("%1 takes no more programs on %2 of our connections (MaxSessions of "
                                                   "its sshd); another one is opened.")
                                        .arg(m_node.name)
                                        .arg(connections);
}

bool SshTransport::isConnected() const
{
    return m_io.ask([this] { return heardAgain(m_state->lane(Lane::Control, 0)) != nullptr; });
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
