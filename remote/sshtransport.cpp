// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshtransport.h"

#include "remote/iothread.h"
#include "remote/sshconnector.h"
#include "remote/sshlane.h"
#include "remote/sshprocess.h"
#include "remote/waiting.h"

#include <QRandomGenerator>

#include <array>

namespace lockstep {

namespace {

// Of one lane. Each carries as many programs as the server's MaxSessions allows (10 by default, 1 at some sites).
constexpr std::size_t kConnections = 8;
constexpr qsizetype kSaltBytes = 20; // ssh's, the size of a SHA-1

} // namespace

struct SshTransport::State {
    std::array<std::array<SshLane, kConnections>, 2> lanes;
    std::stop_source open; // replaced by close()
    std::optional<SeenHostKey> seen;
    QString signedInWith;

    [[nodiscard]] SshLane& lane(Lane which, std::size_t index) { return lanes[static_cast<std::size_t>(which)][index]; }
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

Result<std::shared_ptr<SshSession>> SshTransport::session(Lane lane, std::size_t index, Deadline deadline,
                                                          const std::stop_token& stop)
{
    for (;;) {
        std::stop_token open; // ends with close()
        auto ticket = m_io.ask([&] {
            open = m_state->open.get_token();
            return m_state->lane(lane, index).ask();
        });
        if (ticket.turn == SshLane::Turn::Ready)
            return std::move(ticket.session);

        if (ticket.turn == SshLane::Turn::Wait) {
            auto future = ticket.ready->future();
            auto waited = await(future, deadline, stop, [this, ready = ticket.ready](ErrorCode code) {
                m_io.post([ready, code, name = m_node.name] {
                    ready->give(
                        failure(code, QStringLiteral("The connection to %1 did not stand in time.").arg(name), name));
                });
            });
            // The one who was connecting may have had less time, or been stopped; then it is our turn.
            const bool ended =
                !waited && (waited.error().code == ErrorCode::Timeout || waited.error().code == ErrorCode::Stopped);
            if (ended && !passed(deadline) && !stop.stop_requested())
                continue;
            return waited;
        }

        // Either ends the attempt: the caller's stop, and close().
        std::stop_source either;
        const std::stop_callback onStop(stop, [&either] { either.request_stop(); });
        const std::stop_callback onClose(open, [&either] { either.request_stop(); });
        SshConnector connector(m_node, m_io, m_settings);
        auto signedIn = connector.connect(deadline, either.get_token());
        auto result = m_io.ask([&]() -> Result<std::shared_ptr<SshSession>> {
            m_state->seen = connector.seen();
            Result<std::shared_ptr<SshSession>> made = std::unexpected(signedIn ? Error() : signedIn.error());
            if (open.stop_requested())
                made = failure(ErrorCode::ConnectionLost,
                               QStringLiteral("The connection to %1 was closed.").arg(m_node.name), m_node.name);
            else if (signedIn) {
                m_state->signedInWith = signedIn->with;
                made = SshSession::share(
                    new SshSession(std::move(signedIn->session), m_node.name, std::move(signedIn->via)));
            }
            m_state->lane(lane, index).connected(made);
            return made;
        });
        if (!result)
            result.error().node = m_node.name;
        return result;
    }
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
            for (SshLane& lane : lanes)
                lane.close(error);
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
    const SshHost& host = seen->host;
    const KeyFinding finding =
        KnownHosts::load(host.knownHostsFiles).check(host.knownHostsName(), host.port, seen->key);
    switch (finding.verdict) {
    case KeyVerdict::Known:
        return {};
    case KeyVerdict::Changed:
    case KeyVerdict::Revoked:
        return failure(
            ErrorCode::HostKeyChanged,
            QStringLiteral("The host key of %1 cannot be accepted: %2 says otherwise.").arg(m_node.name, finding.line),
            m_node.name);
    case KeyVerdict::Unknown:
        break;
    }
    if (host.knownHostsFiles.isEmpty())
        return failure(ErrorCode::Io,
                       QStringLiteral("ssh is configured to keep no known_hosts file for %1.").arg(m_node.name),
                       m_node.name);
    QByteArray salt;
    if (host.hashKnownHosts) {
        salt.resize(kSaltBytes);
        QRandomGenerator::system()->generate(salt.begin(), salt.end());
    }
    return KnownHosts::append(host.knownHostsFiles.first(), host.knownHostsName(), host.port, seen->key, salt,
                              m_node.name);
}

} // namespace lockstep
