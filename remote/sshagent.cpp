// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshagent.h"

#include "remote/sshwire.h"
#include "remote/waiting.h"

#include <QFile>
#include <QtEndian>

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>

namespace lockstep {

namespace {

// draft-miller-ssh-agent, section 6.1
constexpr char kFailure = 5, kRequestIdentities = 11, kIdentitiesAnswer = 12, kSignRequest = 13;
constexpr quint32 kMessageBytes = 256 * 1024; // OpenSSH's own limit
constexpr qsizetype kLengthBytes = 4;

bool waitReady(int socket, short events, const StopWake& wake, Deadline deadline, const std::stop_token& stop)
{
    pollfd entries[] = {{socket, events, 0}, wake.pollEntry()};
    while (!stop.stop_requested() && !passed(deadline))
        if (poll(entries, std::size(entries), pollTimeout(deadline)) > 0 && entries[0].revents != 0)
            return true;
    return false;
}

bool sendAll(int socket, const QByteArray& bytes, const StopWake& wake, Deadline deadline, const std::stop_token& stop)
{
    for (qsizetype sent = 0; sent < bytes.size();) {
        const ssize_t now =
            send(socket, bytes.constData() + sent, static_cast<std::size_t>(bytes.size() - sent), MSG_NOSIGNAL);
        if (now >= 0)
            sent += now;
        else if (errno != EINTR && (errno != EAGAIN || !waitReady(socket, POLLOUT, wake, deadline, stop)))
            return false;
    }
    return true;
}

std::optional<QByteArray> receive(int socket, qsizetype size, const StopWake& wake, Deadline deadline,
                                  const std::stop_token& stop)
{
    QByteArray bytes(size, '\0');
    for (qsizetype got = 0; got < size;) {
        const ssize_t now = recv(socket, bytes.data() + got, static_cast<std::size_t>(size - got), 0);
        if (now > 0)
            got += now;
        else if (now == 0 || (errno != EINTR && (errno != EAGAIN || !waitReady(socket, POLLIN, wake, deadline, stop))))
            return {};
    }
    return bytes;
}

std::optional<QByteArray> receiveMessage(int socket, const StopWake& wake, Deadline deadline,
                                         const std::stop_token& stop)
{
    const auto length = receive(socket, kLengthBytes, wake, deadline, stop);
    if (!length)
        return {};
    const quint32 size = qFromBigEndian<quint32>(length->constData());
    if (size == 0 || size > kMessageBytes)
        return {};
    return receive(socket, size, wake, deadline, stop);
}

} // namespace

Result<QByteArray> askAgent(const QString& socketPath, const QByteArray& message, Deadline deadline,
                            const std::stop_token& stop)
{
    const auto failed = [&](const QString& why) {
        return failure(ErrorCode::Io, QStringLiteral("The ssh-agent at %1 %2.").arg(socketPath, why));
    };
    const QByteArray path = QFile::encodeName(socketPath);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.isEmpty() || path.size() >= static_cast<qsizetype>(sizeof address.sun_path))
        return failed(QStringLiteral("has no usable path"));
    std::memcpy(address.sun_path, path.constData(), static_cast<std::size_t>(path.size()));
    const Descriptor agent(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!agent || connect(agent.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return failed(QStringLiteral("cannot be reached: ") + QString::fromLocal8Bit(std::strerror(errno)));
    const StopWake wake(stop, {});
    if (!sendAll(agent.get(), wireString(message), wake, deadline, stop))
        return failed(QStringLiteral("took no question"));
    auto answer = receiveMessage(agent.get(), wake, deadline, stop);
    if (!answer)
        return failed(QStringLiteral("did not answer"));
    return std::move(*answer);
}

Result<QList<AgentKey>> listAgentKeys(const QString& socketPath, Deadline deadline, const std::stop_token& stop)
{
    auto answer = askAgent(socketPath, QByteArray(1, kRequestIdentities), deadline, stop);
    if (!answer)
        return std::unexpected(answer.error());
    WireReader rest(answer->mid(1));
    const quint32 count = rest.number();
    if (!answer->startsWith(kIdentitiesAnswer) || rest.failed())
        return failure(ErrorCode::Protocol,
                       QStringLiteral("The ssh-agent at %1 does not list its keys.").arg(socketPath));
    QList<AgentKey> keys;
    for (quint32 i = 0; i < count; ++i) {
        AgentKey key{rest.string(), rest.string()}; // in this order: braces
        if (rest.failed())
            break; // a short answer: what was whole counts
        keys.append(key);
    }
    return keys;
}

OneKeyAgent::OneKeyAgent(QString socketPath, AgentKey key, QByteArray shown, Deadline deadline, std::stop_token stop)
{
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    m_client.reset(ends[0]);
    m_server.reset(ends[1]);
    m_thread = std::jthread([this, path = std::move(socketPath), held = std::move(key), seen = std::move(shown),
                             deadline, stopped = std::move(stop)] { serve(path, held, seen, deadline, stopped); });
}

OneKeyAgent::~OneKeyAgent()
{
    if (m_server)
        shutdown(m_server.get(), SHUT_RDWR); // ends serve(); the descriptor itself outlives the thread
}

void OneKeyAgent::serve(const QString& socketPath, const AgentKey& key, const QByteArray& shown, Deadline deadline,
                        const std::stop_token& stop) const
{
    // libssh's own writes raise SIGPIPE on a closed socket, so this end stays open and answers to the end.
    const std::stop_token never;
    const StopWake wake(never, never);
    while (const auto message = receiveMessage(m_server.get(), wake, {}, never)) {
        QByteArray answer(1, kFailure);
        if (message->startsWith(kRequestIdentities)) {
            answer = kIdentitiesAnswer + wireNumber(1) + wireString(shown) + wireString(key.comment);
        } else if (message->startsWith(kSignRequest)) {
            // The agent knows the bare key; what is signed names the certificate all the same.
            WireReader request(message->mid(1));
            const QByteArray named = request.string(), rest = message->mid(1 + request.position());
            const QByteArray asked = named == shown ? key.blob : named;
            if (auto signature = askAgent(socketPath, kSignRequest + wireString(asked) + rest, deadline, stop))
                answer = *signature;
        }
        if (!sendAll(m_server.get(), wireString(answer), wake, {}, never))
            return;
    }
}

} // namespace lockstep
