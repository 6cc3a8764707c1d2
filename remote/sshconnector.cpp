// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshconnector.h"

#include "remote/certificatefetch.h"
#include "remote/sharedsession.h"
#include "remote/sshforward.h"
#include "remote/sshshared.h"
#include "remote/tcpconnect.h"

#include <QRandomGenerator>

namespace lockstep {

namespace {

constexpr int kHangUps = 12;     // an sshd over its MaxStartups hangs up; it is asked again
constexpr int kConnections = 16; // to one server for all keys there are
constexpr int kJumps = 8;        // of jump hosts that name jump hosts
constexpr std::chrono::milliseconds kPauseMin{60}, kPauseMax{400}; // between two of them, times their number

// After a hang-up, with jitter, so that many nodes behind one address do not come back in step.
void pause(int count, Deadline deadline, const std::stop_token& stop)
{
    const auto least = static_cast<int>(kPauseMin.count()), most = static_cast<int>(kPauseMax.count());
    const std::chrono::milliseconds time(QRandomGenerator::global()->bounded(least, most) * count);
    const StopWake wake(stop, {});
    pollfd entry = wake.pollEntry();
    poll(&entry, 1, pollTimeout(earlier(deadline, Deadline::in(time))));
}

} // namespace

QString SshConnector::Server::endpoint() const
{
    const QString own = QStringLiteral("%1:%2").arg(host.hostName).arg(host.port);
    if (via)
        return QStringLiteral("%1 via %2").arg(own, via->endpoint());
    return host.proxyCommand.isEmpty() ? own : QStringLiteral("%1 by %2").arg(own, host.proxyCommand);
}

QString SshConnector::Server::windowKey() const
{
    const QString before = via ? via->sessionKey() : host.proxyCommand;
    return QStringLiteral("%1 > %2 %3").arg(before, host.hostName).arg(host.port);
}

QString SshConnector::Server::sessionKey() const
{
    return windowKey() + u' ' + host.user + u' ' + host.hostKeyAlias;
}

SshConnector::SshConnector(const Node& node, IoThread& io, const SshSettings& settings)
    : m_node(node), m_io(io), m_settings(settings)
{
}

Result<SignedIn> SshConnector::connect(const SshSignIn::Needed& needed, Deadline& deadline, const std::stop_token& stop)
{
    m_deadline = deadline;
    auto server = resolve(m_node.address, m_node.name, m_node.jump, 0, stop);
    if (server && !m_node.key.isEmpty()) // as `ssh -i`: before what ssh_config names
        server->host.identityFiles.prepend(withHome(m_node.key));
    auto result = server ? signIn(*server, needed, stop) : std::unexpected(server.error());
    deadline = m_deadline;
    return result;
}

Result<SshConnector::Server> SshConnector::resolve(const Address& address, const QString& name,
                                                   const QStringList& jumps, int depth,
                                                   const std::stop_token& stop) const
{
    if (depth > kJumps)
        return failure(
            ErrorCode::BadInput,
            QStringLiteral("%1 is behind more than %2 jump hosts; they may name each other.").arg(name).arg(kJumps),
            m_node.name);
    auto host = resolveHost(address, m_settings, name, m_deadline, stop);
    if (!host)
        return std::unexpected(host.error());
    if (!jumps.isEmpty()) // the inventory's word comes before ssh_config's
        host->proxyCommand.clear();
    if (host->proxyUseFdpass && !host->proxyCommand.isEmpty())
        return failure(ErrorCode::BadInput,
                       QStringLiteral("%1 has ProxyUseFdpass in ssh_config, which cannot be honoured here; a "
                                      "ProxyCommand without it, or ProxyJump, can.")
                           .arg(name),
                       m_node.name);
    if (!host->revokedHostKeys.isEmpty()) // going on would trust a key that somebody has withdrawn
        return failure(
            ErrorCode::BadInput,
            QStringLiteral("%1 has RevokedHostKeys %2 in ssh_config, which is not read here; write its keys as "
                           "@revoked lines into known_hosts, and \"RevokedHostKeys none\" for this host.")
                .arg(name, host->revokedHostKeys),
            m_node.name);
    Server server{name, *host, {}};
    const QStringList hops = jumps.isEmpty() ? host->proxyJump : jumps;
    if (hops.isEmpty())
        return server;
    // All of the way before the first step: a way in a circle would wait for itself.
    const auto before = Address::parse(hops.last());
    if (!before)
        return std::unexpected(before.error());
    auto via =
        resolve(*before, QStringLiteral("jump host %1").arg(hops.last()), hops.first(hops.size() - 1), depth + 1, stop);
    if (!via)
        return via;
    server.via = std::make_shared<const Server>(std::move(*via));
    return server;
}

Result<SignedIn> SshConnector::signIn(const Server& server, const SshSignIn::Needed& needed,
                                      const std::stop_token& stop)
{
    HostKeyCheck hostKey(server.host, m_settings, server.name, m_node.name);
    if (hostKey.wantsCertificate())
        if (auto asked = askCertificate(server, hostKey, stop); !asked)
            return std::unexpected(asked.error());
    SshSignIn keys(server.host, m_settings, m_io, server.name, collectIdentities(server.host, m_deadline, stop),
                   needed);
    Tries tries;
    while (tries.connections < kConnections) {
        auto done = tryOnce(server, hostKey, keys, tries, stop);
        if (!done)
            return std::unexpected(done.error());
        if (*done)
            return std::move(**done);
        if (auto answered = keys.askPerson(m_deadline, stop); !answered)
            return std::unexpected(answered.error());
    }
    return failure(ErrorCode::AuthFailed,
                   QStringLiteral("%1 refused the first keys of too many. Name the right one with IdentityFile and "
                                  "IdentitiesOnly in ~/.ssh/config.")
                       .arg(server.name),
                   m_node.name);
}

Result<std::optional<SignedIn>> SshConnector::tryOnce(const Server& server, HostKeyCheck& hostKey, SshSignIn& keys,
                                                      Tries& tries, const std::stop_token& stop)
{
    auto turn = ConnectTurn::take(m_io, server.windowKey(), server.name, m_deadline, stop);
    if (!turn)
        return std::unexpected(turn.error());
    auto path = reach(server, stop);
    if (!path)
        return std::unexpected(path.error());
    ConnectingSession session(server.host, hostKey.algorithms(), std::move(path->socket), server.name);
    const auto key = session.exchangeKeys(m_deadline, stop);
    if (!key) {
        if (path->command)
            if (const QString said = path->command->complaint(stop); !said.isEmpty())
                return failure(ErrorCode::Unreachable,
                               QStringLiteral("%1 cannot be reached by its ProxyCommand `%2`: %3")
                                   .arg(server.name, server.host.proxyCommand, said),
                               m_node.name);
        if (key.error().code != ErrorCode::ConnectionLost || ++tries.hangUps > kHangUps || passed(m_deadline))
            return std::unexpected(key.error());
        (*turn)->leave(ConnectWindow::Left::HungUp);
        pause(tries.hangUps, m_deadline, stop);
        return std::nullopt;
    }
    ++tries.connections;
    auto checked = hostKey.check(*key);
    m_seen = hostKey.seen();
    if (m_seen)
        m_seen->shown.endpoint = server.endpoint();
    if (!checked)
        return std::unexpected(checked.error());
    const auto outcome = keys.attempt(
        session, [&turn] { (*turn)->leave(ConnectWindow::Left::Otherwise); }, m_deadline, stop);
    if (!outcome)
        return std::unexpected(outcome.error());
    if (*outcome != SshSignIn::Outcome::SignedIn)
        return std::nullopt;
    (*turn)->leave(ConnectWindow::Left::SignedIn);
    return SignedIn{session.take(), keys.signedInWith(), keys.signedInBy(), std::move(path->carrier)};
}

Result<void> SshConnector::askCertificate(const Server& server, HostKeyCheck& hostKey, const std::stop_token& stop)
{
    // What it showed before will do while it is good: an sshd may punish those who leave without signing in.
    const QByteArray before = m_io.ask([&] { return m_io.shared().certificates[server.windowKey()]; });
    if (!before.isEmpty())
        hostKey.useCertificate(before, m_deadline, stop);
    for (int hangUps = 0; !hostKey.isCertified();) {
        auto turn = ConnectTurn::take(m_io, server.windowKey(), server.name, m_deadline, stop);
        if (!turn)
            return std::unexpected(turn.error());
        auto path = reach(server, stop);
        if (!path)
            return std::unexpected(path.error());
        const auto blob = fetchHostCertificate(path->socket, server.name, m_deadline, stop);
        if (blob) {
            hostKey.useCertificate(*blob, m_deadline, stop);
            m_io.ask([&] { m_io.shared().certificates[server.windowKey()] = *blob; });
            return {};
        }
        if (blob.error().code != ErrorCode::ConnectionLost || ++hangUps > kHangUps || passed(m_deadline))
            return std::unexpected(blob.error());
        (*turn)->leave(ConnectWindow::Left::HungUp);
        pause(hangUps, m_deadline, stop);
    }
    return {};
}

Result<SshConnector::Path> SshConnector::reach(const Server& server, const std::stop_token& stop)
{
    if (server.via)
        return reachByJump(server, stop);
    const SshHost& host = server.host;
    if (!host.proxyCommand.isEmpty()) {
        auto started = ProxyCommand::start(host.proxyCommand, server.name);
        if (!started)
            return std::unexpected(started.error());
        return Path{std::move(started->socket), started->command, started->command};
    }
    Deadline deadline = m_deadline;
    if (host.connectTimeoutS > 0)
        deadline = earlier(deadline, Deadline::in(std::chrono::seconds(host.connectTimeoutS)));
    auto socket =
        connectTcp({host.hostName, host.port, host.addressFamily, host.bindAddress, host.bindInterface, server.name},
                   deadline, stop);
    if (!socket)
        return std::unexpected(socket.error());
    return Path{std::move(*socket), {}, {}};
}

Result<SshConnector::Path> SshConnector::reachByJump(const Server& server, const std::stop_token& stop)
{
    auto session = hop(*server.via, stop);
    if (!session) {
        Error error = session.error(); // perhaps one that another target of this jump host met
        error.node = m_node.name;
        error.text = QStringLiteral("%1 cannot be reached: %2").arg(server.name, error.text);
        return std::unexpected(error);
    }
    SshForward::Opened opened;
    auto future = opened.get_future();
    auto forward = m_io.ask([&] {
        auto made = std::make_shared<SshForward>(**session, server.host.hostName, server.host.port, std::move(opened));
        (*session)->keep(made);
        return std::weak_ptr<SshForward>(made);
    });
    auto socket = await(future, m_deadline, stop, [this, forward](ErrorCode code) {
        m_io.post([forward, code] {
            if (const auto held = forward.lock())
                held->giveUp(code);
        });
    });
    if (!socket)
        return std::unexpected(socket.error());
    return Path{std::move(*socket), std::move(*session), {}};
}

Result<std::shared_ptr<SshSession>> SshConnector::hop(const Server& jump, const std::stop_token& stop)
{
    const QString key = jump.sessionKey();
    SessionPlace place;
    place.at = [&]() -> MakeOnce<SshSession>& { return m_io.shared().jumps[key].session; };
    place.connect = [&]() -> Result<std::shared_ptr<SshSession>> {
        m_seen.reset();
        const auto needed = [&] { return m_io.ask([&] { return !heardAgain(place.at()); }); };
        auto signedIn = signIn(jump, needed, stop);
        return m_io.ask([&]() -> Result<std::shared_ptr<SshSession>> {
            m_io.shared().jumps[key].seen = m_seen;
            if (auto before = heardAgain(place.at()))
                return before;
            if (!signedIn)
                return std::unexpected(signedIn.error());
            return SshSession::make(std::move(signedIn->session), jump.name, std::move(signedIn->carrier));
        });
    };
    place.name = jump.name;
    auto shared = sharedSession(m_io, place, m_deadline, stop);
    if (!shared)
        m_seen = m_io.ask([&] { return m_io.shared().jumps[key].seen; });
    return shared;
}

} // namespace lockstep
