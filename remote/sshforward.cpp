// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshforward.h"

#include "remote/descriptorlimit.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>

namespace lockstep {

namespace {

constexpr qsizetype kPieceBytes = 32 * 1024;

SshForward& forwardOf(void* self)
{
    return *static_cast<SshForward*>(self);
}

} // namespace

SshForward::SshForward(SshSession& hop, QString host, int port, Opened opened)
    : m_hop(hop), m_host(std::move(host)), m_port(port), m_opened(std::move(opened))
{
    if (m_hop.lost()) {
        answer(std::unexpected(*m_hop.lost()));
        return;
    }
    m_channel = ssh_channel_new(m_hop.get());
    m_callbacks.userdata = this;
    m_callbacks.channel_data_function = [](ssh_session, ssh_channel, void* data, uint32_t size, int, void* self) {
        return forwardOf(self).toSocket(static_cast<const char*>(data), static_cast<qsizetype>(size));
    };
    m_callbacks.channel_close_function = [](ssh_session, ssh_channel, void* self) { forwardOf(self).m_closed = true; };
    m_callbacks.channel_eof_function = [](ssh_session, ssh_channel, void* self) { forwardOf(self).m_closed = true; };
    ssh_callbacks_init(&m_callbacks);
    ssh_set_channel_callbacks(m_channel, &m_callbacks);
}

SshForward::~SshForward()
{
    if (m_channel == nullptr)
        return;
    ssh_remove_channel_callbacks(m_channel, &m_callbacks);
    if (!m_hop.lost()) // else freed with its session
        m_hop.call([this] {
            ssh_channel_free(m_channel);
            return 0;
        });
}

void SshForward::answer(Result<Descriptor> result)
{
    if (m_opened)
        std::exchange(m_opened, std::nullopt)->set_value(std::move(result));
}

void SshForward::giveUp(ErrorCode code)
{
    if (!m_opened)
        return;
    answer(failure(code,
                   QStringLiteral("%1 did not connect to %2 port %3 in time.").arg(m_hop.node(), m_host).arg(m_port)));
    end();
}

void SshForward::fail(const Error& error)
{
    if (m_channel != nullptr)
        ssh_remove_channel_callbacks(m_channel, &m_callbacks);
    m_channel = nullptr;
    answer(std::unexpected(error));
    end();
}

void SshForward::end()
{
    m_watch.reset();
    m_socket.reset();   // the session that uses the other end sees the end of its connection
    m_hop.letGo(*this); // may be the end of this object
}

void SshForward::open()
{
    const int opened = m_hop.call(
        [this] { return ssh_channel_open_forward(m_channel, m_host.toUtf8().constData(), m_port, "127.0.0.1", 0); });
    if (opened == SSH_AGAIN)
        return;
    if (opened != SSH_OK) {
        if (m_hop.broken())
            return m_hop.lose(m_hop.linkError());
        answer(failure(ErrorCode::Unreachable, QStringLiteral("%1 cannot connect to %2 port %3: %4")
                                                   .arg(m_hop.node(), m_host)
                                                   .arg(m_port)
                                                   .arg(QString::fromUtf8(ssh_get_error(m_hop.get())).trimmed())));
        return end();
    }
    m_hop.channelOpened();
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return refuseHere(errno);
    m_socket.reset(ends[0]);
    Descriptor theirs(ends[1]);
    // Only woken here: a wake keeps this object alive while it works.
    m_watch.emplace(m_socket.get(), [&hop = m_hop] { hop.scheduleWake(); });
    m_watch->setReading(true);
    if (m_watch->error() != 0)
        return refuseHere(m_watch->error());
    answer(std::move(theirs));
}

void SshForward::refuseHere(int error)
{
    answer(failure(ErrorCode::Io, QStringLiteral("A way through %1 cannot be made on this machine: %2.")
                                      .arg(m_hop.node(), descriptorError(error))));
    end();
}

void SshForward::advance()
{
    if (m_channel == nullptr)
        return;
    if (m_opened)
        open();
    if (!m_socket)
        return;
    fromChannel();
    fromSocket();
    if (m_watch && m_watch->error() != 0)
        end();
}

int SshForward::toSocket(const char* bytes, qsizetype size)
{
    qsizetype taken = 0;
    while (m_socket && m_toSocket.isEmpty() && taken < size) {
        const ssize_t sent = send(m_socket.get(), bytes + taken, static_cast<std::size_t>(size - taken), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            break;
        taken += sent;
    }
    m_held = m_held || taken < size;
    return static_cast<int>(taken);
}

void SshForward::fromChannel()
{
    while (m_held || !m_toSocket.isEmpty()) {
        if (m_toSocket.isEmpty()) {
            m_toSocket.resize(kPieceBytes);
            const int got = m_hop.call(
                [this] { return ssh_channel_read_nonblocking(m_channel, m_toSocket.data(), kPieceBytes, 0); });
            m_toSocket.resize(std::max(got, 0));
            m_held = got > 0;
            if (got <= 0)
                break;
        }
        const QByteArray piece = std::exchange(m_toSocket, {});
        const bool held = std::exchange(m_held, false);
        const int taken = toSocket(piece.constData(), piece.size());
        m_toSocket = piece.mid(taken);
        m_held = held;
        if (!m_toSocket.isEmpty())
            break;
    }
    m_watch->setWriting(m_held || !m_toSocket.isEmpty());
    if (m_closed && !m_held && m_toSocket.isEmpty())
        end();
}

void SshForward::fromSocket()
{
    while (m_socket && !m_hop.writing()) {
        if (m_toChannel.isEmpty()) {
            m_toChannel.resize(kPieceBytes);
            const ssize_t got = recv(m_socket.get(), m_toChannel.data(), static_cast<std::size_t>(kPieceBytes), 0);
            m_toChannel.resize(std::max<ssize_t>(got, 0));
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
                return end();
            if (got < 0) {
                m_watch->setReading(true);
                return;
            }
        }
        const int sent = m_hop.call([this] {
            return ssh_channel_write(m_channel, m_toChannel.constData(), static_cast<uint32_t>(m_toChannel.size()));
        });
        if (sent < 0)
            return end();
        m_toChannel.remove(0, sent);
        if (sent == 0)
            break;
    }
    // The far window is shut or libssh holds bytes back: packets, or the write notifier of the session, wake us.
    if (m_socket)
        m_watch->setReading(false);
}

} // namespace lockstep
