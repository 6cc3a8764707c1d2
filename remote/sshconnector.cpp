// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshconnector.h"

#include "remote/connectwindow.h"
#include "remote/iothread.h"
#include "remote/onceanswer.h"
#include "remote/sshforward.h"
#include "remote/sshsignin.h"
#include "remote/tcpconnect.h"
#include "remote/waiting.h"

#include <QRandomGenerator>

namespace lockstep {

namespace {

constexpr int kHangUps = 8;      // an sshd over its MaxStartups hangs up; it is asked again
constexpr int kConnections = 16; // to one server for all keys there are
constexpr int kJumps = 8;        // of jump hosts that name jump hosts
constexpr std::chrono::milliseconds kPauseMin{60}, kPauseMax{400}; // between two of them, times their number

void pause(int count, Deadline deadline, const std::stop_token& stop)
{
    const auto least = static_cast<int>(kPauseMin.count()), most = static_cast<int>(kPauseMax.count());
    const std::chrono::milliseconds time(QRandomGenerator::global()->bounded(least, most) * count);
    const StopWake wake(stop, {});
    pollfd entry = wake.pollEntry();
    poll(&entry, 1, pollTimeout(earlier(deadline, Deadline::in(time))));
}

class WindowPlace { // leaves the window when it goes
public:
    WindowPlace(IoThread& io, QString server) : m_io(io), m_server(std::move(server)) {}
    ~WindowPlace()
    {
        m_io.post([&io = m_io, server = m_server] { io.window().leave(server); });
    }
    WindowPlace(const WindowPlace&) = delete;
    WindowPlace& operator=(const WindowPlace&) = delete;

private:
    IoThread& m_io;
    QString m_server;
};

QString windowKey(const SshHost& host)
{
    return host.hostName + u' ' + QString::number(host.port);
}

} // namespace

SshConnector::SshConnector(const Node& node, IoThread& io, const SshSettings& settings)
    : m_node(node), m_io(io), m_settings(settings)
{
}

Result<SignedIn> SshConnector::connect(Deadline deadline, const std::stop_token& stop)
{
    const auto server = resolve(m_node.address, m_node.name, m_node.jump, 0, deadline, stop);
    if (!server)
        return std::unexpected(server.error());
    return signIn(*server, deadline, stop);
}

Result<SshConnector::Server> SshConnector::resolve(const Address& address, const QString& name,
                                                   const QStringList& jumps, int depth, Deadline deadline,
                                                   const std::stop_token& stop) const
{
    if (depth > kJumps)
        return failure(
            ErrorCode::BadInput,
            QStringLiteral("%1 is behind more than %2 jump hosts; they may name each other.").arg(name).arg(kJumps),
            m_node.name);
    const auto host = resolveHost(address, m_settings, name, deadline, stop);
    if (!host)
        return std::unexpected(host.error());
    if (!host->proxyCommand.isEmpty() && jumps.isEmpty())
        return failure(ErrorCode::BadInput,
                       QStringLiteral("%1 needs the ProxyCommand `%2`, which is not supported; use ProxyJump.")
                           .arg(name, host->proxyCommand),
                       m_node.name);
    return Server{name, *host, jumps.isEmpty() ? host->proxyJump : jumps, depth};
}

Result<void> SshConnector::enterWindow(const Server& server, Deadline deadline, const std::stop_token& stop) const
{
    const auto turn = std::make_shared<OnceAnswer<Result<void>>>();
    auto future = turn->future();
    m_io.post([&io = m_io, key = windowKey(server.host), turn] {
        io.window().enter(key, [turn] { return turn->give({}); });
    });
    return await(future, deadline, stop, [this, turn, name = server.name](ErrorCode code) {
        m_io.post([turn, code, name] {
            turn->give(failure(code, QStringLiteral("Connecting to %1 did not come to its turn in time.").arg(name)));
        });
    });
}

Result<SignedIn> SshConnector::signIn(const Server& server, Deadline deadline, const std::stop_token& stop)
{
    const KnownHosts known = KnownHosts::load(server.host.knownHostsFiles);
    const auto algorithms = known.algorithms(server.host.knownHostsName(), server.host.port);
    SshSignIn keys(server.host, m_settings, server.name, collectIdentities(server.host, deadline, stop));
    int hangUps = 0;
    for (int connections = 0; connections < kConnections; ++connections) {
        if (auto entered = enterWindow(server, deadline, stop); !entered)
            return std::unexpected(entered.error());
        const WindowPlace place(m_io, windowKey(server.host));
        std::shared_ptr<SshSession> via;
        auto socket = reach(server, via, deadline, stop);
        if (!socket)
            return std::unexpected(socket.error());
        ConnectingSession session(server.host, algorithms, std::move(*socket), server.name);
        const auto key = session.exchangeKeys(deadline, stop);
        if (!key) {
            if (key.error().code != ErrorCode::ConnectionLost || ++hangUps > kHangUps || passed(deadline))
                return std::unexpected(key.error());
            --connections;
            pause(hangUps, deadline, stop);
            continue;
        }
        if (auto checked = checkHostKey(server, known, *key); !checked)
            return std::unexpected(checked.error());
        const auto outcome = keys.attempt(session, deadline, stop);
        if (!outcome)
            return std::unexpected(outcome.error());
        if (*outcome == SshSignIn::Outcome::SignedIn)
            return SignedIn{session.take(), keys.signedInWith(), std::move(via)};
    }
    return failure(ErrorCode::AuthFailed,
                   QStringLiteral("%1 refused the first keys of too many. Name the right one with IdentityFile and "
                                  "IdentitiesOnly in ~/.ssh/config.")
                       .arg(server.name),
                   m_node.name);
}

Result<Descriptor> SshConnector::reach(const Server& server, std::shared_ptr<SshSession>& via, Deadline deadline,
                                       const std::stop_token& stop)
{
    if (server.jumps.isEmpty())
        return connectTcp({server.host.hostName, server.host.port, server.host.addressFamily, server.name}, deadline,
                          stop);
    auto session = hop(server, deadline, stop);
    if (!session)
        return std::unexpected(session.error());
    SshForward::Opened opened;
    auto future = opened.get_future();
    auto forward = m_io.ask([&] {
        auto made = std::make_shared<SshForward>(**session, server.host.hostName, server.host.port, std::move(opened));
        (*session)->keep(made);
        return std::weak_ptr<SshForward>(made);
    });
    auto socket = await(future, deadline, stop, [this, forward](ErrorCode code) {
        m_io.post([forward, code] {
            if (const auto held = forward.lock())
                held->giveUp(code);
        });
    });
    via = std::move(*session);
    return socket;
}

Result<std::shared_ptr<SshSession>> SshConnector::hop(const Server& server, Deadline deadline,
                                                      const std::stop_token& stop)
{
    const auto address = Address::parse(server.jumps.last());
    if (!address)
        return std::unexpected(address.error());
    const QString name = QStringLiteral("jump host %1 of %2").arg(server.jumps.last(), m_node.name);
    const auto next =
        resolve(*address, name, server.jumps.first(server.jumps.size() - 1), server.depth + 1, deadline, stop);
    if (!next)
        return std::unexpected(next.error());
    auto signedIn = signIn(*next, deadline, stop);
    if (!signedIn)
        return std::unexpected(signedIn.error());
    return m_io.ask([&] {
        return SshSession::share(new SshSession(std::move(signedIn->session), name, std::move(signedIn->via)));
    });
}

Result<void> SshConnector::checkHostKey(const Server& server, const KnownHosts& known, const ServerKey& key)
{
    const KeyFinding finding = known.check(server.host.knownHostsName(), server.host.port, key);
    m_seen = SeenHostKey{key, {key.typeName(), key.fingerprint(), finding.knownFingerprint, finding.line}, server.host};
    const QString& node = m_node.name;
    switch (finding.verdict) {
    case KeyVerdict::Known:
        return {};
    case KeyVerdict::Unknown: {
        QString text =
            QStringLiteral("%1 shows a host key that is not known yet: %2 %3. Compare it with the one of the "
                           "machine, then accept it.")
                .arg(server.name, key.typeName(), key.fingerprint());
        if (!finding.authorityLine.isEmpty())
            text +=
                QStringLiteral(" (%1 names an authority for its host certificate; certificates are not checked here.)")
                    .arg(finding.authorityLine);
        return failure(ErrorCode::HostKeyUnknown, text, node);
    }
    case KeyVerdict::Changed:
        return failure(
            ErrorCode::HostKeyChanged,
            QStringLiteral("%1 shows another host key than before: %2 %3, where %4 has %5. Nothing was sent. If the "
                           "machine was set up anew, ask whoever did it and remove that line; if not, somebody may "
                           "stand between you and it.")
                .arg(server.name, key.typeName(), key.fingerprint(), finding.line, finding.knownFingerprint),
            node);
    case KeyVerdict::Revoked:
        return failure(ErrorCode::HostKeyChanged,
                       QStringLiteral("%1 shows the host key %2 %3, which %4 revokes. Nothing was sent.")
                           .arg(server.name, key.typeName(), key.fingerprint(), finding.line),
                       node);
    }
    return {};
}

} // namespace lockstep
