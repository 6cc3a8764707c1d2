// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshsession.h"

#include "remote/descriptorlimit.h"

#include <libssh/server.h>

#include <cerrno>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace lockstep {

namespace {

constexpr std::chrono::seconds kRecently{1};
constexpr int kPumps = 16; // of one session for one event, so that the other sessions get their turn

Error cannotWatch(const QString& node, int error)
{
    return {
        ErrorCode::Io,
        QStringLiteral("The connection to %1 cannot be watched on this machine: %2.").arg(node, descriptorError(error)),
        node};
}

} // namespace

Result<std::shared_ptr<SshSession>> SshSession::make(SshHandle handle, const QString& node,
                                                     std::shared_ptr<void> carrier)
{
    if (ssh_is_connected(handle.get()) == 0)
        return failure(ErrorCode::ConnectionLost,
                       QStringLiteral("%1 let us in and closed the connection at once. Has the account as many logins "
                                      "there as it may have (maxlogins of pam_limits)?")
                           .arg(node),
                       node);
    Descriptor watched(fcntl(ssh_get_fd(handle.get()), F_DUPFD_CLOEXEC, 0));
    if (!watched)
        return std::unexpected(cannotWatch(node, errno));
    std::shared_ptr<SshSession> session(new SshSession(std::move(handle), node, std::move(carrier), std::move(watched)),
                                        [](SshSession* last) { last->deleteLater(); });
    if (session->m_socket.error() != 0)
        return std::unexpected(session->watchError());
    return session;
}

SshSession::SshSession(SshHandle handle, QString node, std::shared_ptr<void> carrier, Descriptor watched)
    : m_session(std::move(handle)), m_node(std::move(node)), m_carrier(std::move(carrier)),
      m_watched(std::move(watched)), m_socket(m_watched.get(), [this] { pump(); }), m_event(ssh_event_new()),
      m_heard(std::chrono::steady_clock::now())
{
    ssh_set_counters(m_session.get(), nullptr, &m_packets);
    ssh_event_add_session(m_event, m_session.get()); // needs a connected session
    m_socket.setReading(true);
    scheduleWake(); // packets that came during the sign-in
}

SshSession::~SshSession()
{
    lose({ErrorCode::ConnectionLost, QStringLiteral("The connection to %1 was closed.").arg(m_node), m_node});
    ssh_event_remove_session(m_event, m_session.get());
    ssh_event_free(m_event);
}

void SshSession::add(const std::shared_ptr<SessionChannel>& channel)
{
    m_channels.push_back(channel);
    scheduleWake();
}

void SshSession::keep(const std::shared_ptr<SessionChannel>& channel)
{
    m_kept.push_back(channel);
    add(channel);
}

void SshSession::letGo(const SessionChannel& channel)
{
    m_kept.remove_if([&channel](const auto& kept) { return kept.get() == &channel; });
}

bool SshSession::broken() const
{
    return ssh_is_connected(m_session.get()) == 0 || ssh_get_error_code(m_session.get()) == SSH_FATAL;
}

void SshSession::scheduleWake()
{
    if (std::exchange(m_wakePosted, true))
        return;
    QMetaObject::invokeMethod(this, &SshSession::wake, Qt::QueuedConnection);
}

void SshSession::pump()
{
    if (m_lost)
        return;
    if (!m_firstOpened) {
        const int one = 1; // until sshd's notices and ours no longer wait for each other: 69 -> 28 ms a connection
        setsockopt(m_watched.get(), IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one);
    }
    for (int i = 0; i < kPumps; ++i) {
        const int answer = ssh_event_dopoll(m_event, 0);
        if (answer == SSH_AGAIN)
            break;
        if (answer == SSH_ERROR || ssh_is_connected(m_session.get()) == 0) {
            wake(); // what arrived before the end counts
            lose(linkError());
            return;
        }
    }
    wake();
    watchWriting();
}

void SshSession::noteHeard()
{
    if (std::exchange(m_packetsHeard, m_packets.in_packets) == m_packets.in_packets)
        return;
    m_heard = std::chrono::steady_clock::now();
    m_doubted = false;
    for (const auto& there : std::exchange(m_probes, {}))
        there->give(true);
}

void SshSession::probe(const std::shared_ptr<OnceAnswer<bool>>& there)
{
    if (m_lost || std::chrono::steady_clock::now() - m_heard < kRecently) {
        there->give(!m_lost);
        return;
    }
    m_probes.push_back(there);
    for (int i = 0; i < 2; ++i) { // libssh's first call may only take note of the answer to the last one
        const auto before = m_packets.out_packets;
        call([this] { return ssh_send_keepalive(m_session.get()); });
        if (m_packets.out_packets != before)
            break;
    }
    if (broken())
        lose(linkError());
}

void SshSession::wake()
{
    m_wakePosted = false;
    if (m_lost)
        return;
    noteHeard();
    std::erase_if(m_channels, [](const auto& channel) { return channel.expired(); });
    const auto channels = m_channels; // advance() may add one
    for (const auto& weak : channels)
        if (const auto channel = weak.lock())
            channel->advance();
    if (!m_lost && m_socket.error() != 0)
        lose(watchError());
    else if (!m_lost && ssh_is_connected(m_session.get()) == 0)
        lose(linkError());
}

void SshSession::watchWriting()
{
    m_socket.setWriting(!m_lost && writing());
    if (!m_lost && m_socket.error() != 0)
        scheduleWake(); // which loses it: not here, in the middle of what a channel does
}

Error SshSession::watchError() const
{
    return cannotWatch(m_node, m_socket.error());
}

Error SshSession::linkError() const
{
    const QString said = QString::fromUtf8(ssh_get_error(m_session.get())).trimmed();
    return {ErrorCode::ConnectionLost, QStringLiteral("The connection to %1 was lost: %2").arg(m_node, said), m_node};
}

void SshSession::lose(const Error& error)
{
    if (m_lost)
        return;
    m_lost = error;
    for (const auto& there : std::exchange(m_probes, {}))
        there->give(false);
    m_socket.setReading(false); // a dead socket stays readable
    m_socket.setWriting(false);
    for (const auto& weak : std::exchange(m_channels, {}))
        if (const auto channel = weak.lock())
            channel->fail(error);
}

} // namespace lockstep
