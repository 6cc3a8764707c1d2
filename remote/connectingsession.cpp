// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/connectingsession.h"

#include "remote/waiting.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace lockstep {

namespace {

constexpr std::chrono::seconds kExchangeDeadline{9}; // an sshd that accepts but says nothing; a loaded one needs 1 to 2
constexpr int kHangUps = 3; // in a row without progress: libssh itself would say `again` for ever

// AES-GCM first: 1.4 times chacha20 in libssh (reference/cluster.md, section 2).
constexpr char kCiphers[] = "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-ctr,"
                            "aes192-ctr,aes128-ctr";
constexpr char kHostKeys[] = "ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,rsa-sha2-512,"
                             "rsa-sha2-256";

QByteArray hostKeyOrder(const QList<QByteArray>& known)
{
    QList<QByteArray> order;
    const QList<QByteArray> all = QByteArray(kHostKeys).split(',');
    for (const QByteArray& algorithm : all)
        if (known.contains(algorithm) || (algorithm.startsWith("rsa-") && known.contains("ssh-rsa")))
            order += algorithm;
    for (const QByteArray& algorithm : all)
        if (!order.contains(algorithm))
            order += algorithm;
    return order.join(',');
}

// Our order, which is by speed or by what is known of the host, of what ssh_config allows; what it adds comes last.
QByteArray ownOrder(const QByteArray& ours, const QByteArray& wanted)
{
    if (wanted.isEmpty())
        return ours;
    if (wanted.startsWith('+') || wanted.startsWith('-') || wanted.startsWith('^'))
        return wanted; // libssh reads these as ssh does, against its own list
    const QList<QByteArray> own = ours.split(','), allowed = wanted.split(',');
    QList<QByteArray> order;
    for (const QByteArray& one : own)
        if (allowed.contains(one))
            order += one;
    for (const QByteArray& one : allowed)
        if (!own.contains(one))
            order += one;
    return order.join(',');
}

} // namespace

ConnectingSession::ConnectingSession(const SshHost& host, const QList<QByteArray>& known, Descriptor socket,
                                     QString node)
    : m_session(ssh_new()), m_socket(socket.release()), m_node(std::move(node))
{
    ssh_session session = m_session.get();
    const bool processConfig = false; // ssh -G has spoken; libssh's own reader drops half of ssh_config
    const unsigned port = static_cast<unsigned>(host.port);
    ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &processConfig);
    ssh_options_set(session, SSH_OPTIONS_HOST, host.hostName.toUtf8().constData());
    ssh_options_set(session, SSH_OPTIONS_PORT, &port);
    ssh_options_set(session, SSH_OPTIONS_USER, host.user.toUtf8().constData());
    ssh_options_set(session, SSH_OPTIONS_FD, &m_socket);
    if (host.requiredRsaBits > 0)
        ssh_options_set(session, SSH_OPTIONS_RSA_MIN_SIZE, &host.requiredRsaBits);
    ssh_options_set(session, SSH_OPTIONS_KNOWNHOSTS, "/dev/null"); // we check and order host keys
    ssh_options_set(session, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null");
    setAlgorithms(host, hostKeyOrder(known));
    ssh_set_blocking(session, 0);
}

void ConnectingSession::setAlgorithms(const SshHost& host, const QByteArray& hostKeys)
{
    const struct {
        const char* option; // of ssh_config
        const QString& wanted;
        const char* ours; // nullptr: libssh's
        QList<ssh_options_e> library;
    } lists[] = {
        {"Ciphers", host.ciphers, kCiphers, {SSH_OPTIONS_CIPHERS_C_S, SSH_OPTIONS_CIPHERS_S_C}},
        {"HostKeyAlgorithms", host.hostKeyAlgorithms, hostKeys.constData(), {SSH_OPTIONS_HOSTKEYS}},
        {"MACs", host.macs, nullptr, {SSH_OPTIONS_HMAC_C_S, SSH_OPTIONS_HMAC_S_C}},
        {"KexAlgorithms", host.kexAlgorithms, nullptr, {SSH_OPTIONS_KEY_EXCHANGE}},
        {"PubkeyAcceptedAlgorithms", host.publicKeyAlgorithms, nullptr, {SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES}},
    };
    for (const auto& list : lists) {
        const QByteArray wanted = list.wanted.toLatin1();
        const QByteArray words = list.ours == nullptr ? wanted : ownOrder(list.ours, wanted);
        for (const ssh_options_e option : list.library)
            if (!words.isEmpty() && ssh_options_set(m_session.get(), option, words.constData()) != 0)
                m_unknownAlgorithms = QStringLiteral("%1 %2").arg(QLatin1String(list.option), list.wanted);
    }
}

void ConnectingSession::makeNonBlocking() const
{
    // libssh makes the socket blocking when it is connected, also one that came in by SSH_OPTIONS_FD.
    if (const int flags = fcntl(m_socket, F_GETFL); flags >= 0 && (flags & O_NONBLOCK) == 0)
        fcntl(m_socket, F_SETFL, flags | O_NONBLOCK);
}

Result<int> ConnectingSession::finish(int again, const std::function<int()>& call, Deadline deadline,
                                      const std::stop_token& stop)
{
    const StopWake wake(stop, {});
    for (int hangUps = 0;;) {
        const int answer = call();
        if (answer != again) {
            if (ssh_get_fd(m_session.get()) == m_socket)
                makeNonBlocking();
            return answer;
        }
        if (ssh_get_fd(m_session.get()) != m_socket || !ssh_is_connected(m_session.get()) || hangUps == kHangUps)
            return failure(ErrorCode::ConnectionLost,
                           QStringLiteral("%1 closed the connection: %2").arg(m_node, libraryError()), m_node);
        makeNonBlocking();
        if (stop.stop_requested())
            return failure(ErrorCode::Stopped, QStringLiteral("Connecting to %1 was stopped.").arg(m_node), m_node);
        if (passed(deadline))
            return failure(
                ErrorCode::Timeout,
                QStringLiteral(
                    "%1 accepted a connection but did not go on in time. Its sshd may be overloaded or hung.")
                    .arg(m_node),
                m_node);
        const bool writing = (ssh_get_poll_flags(m_session.get()) & SSH_WRITE_PENDING) != 0;
        pollfd entries[] = {{m_socket, static_cast<short>(writing ? POLLIN | POLLOUT : POLLIN), 0}, wake.pollEntry()};
        poll(entries, std::size(entries), pollTimeout(deadline));
        hangUps = (entries[0].revents & (POLLHUP | POLLERR)) != 0 ? hangUps + 1 : 0;
        const int one = 1; // it does not last: without it sshd and we wait 40 ms for each other (Nagle, delayed ACK)
        setsockopt(m_socket, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one);
    }
}

QString ConnectingSession::libraryError() const
{
    return QString::fromUtf8(ssh_get_error(m_session.get())).trimmed();
}

Result<ServerKey> ConnectingSession::exchangeKeys(Deadline deadline, const std::stop_token& stop)
{
    if (!m_unknownAlgorithms.isEmpty())
        return failure(ErrorCode::BadInput,
                       QStringLiteral("Nothing of what ssh_config wants for %1 is known here: %2.")
                           .arg(m_node, m_unknownAlgorithms),
                       m_node);
    ssh_session session = m_session.get();
    const auto connected = finish(
        SSH_AGAIN, [session] { return ssh_connect(session); },
        std::min(deadline, Deadline::in(kExchangeDeadline), [](auto a, auto b) { return a.at < b.at; }), stop);
    if (!connected)
        return std::unexpected(connected.error());
    if (*connected != SSH_OK) {
        const QString said = libraryError();
        const bool hungUp = !said.contains(QLatin1String("no match")); // two sides without a common algorithm
        return failure(hungUp ? ErrorCode::ConnectionLost : ErrorCode::Protocol,
                       QStringLiteral("%1 could not agree on an SSH connection: %2").arg(m_node, said), m_node);
    }
    ssh_key raw = nullptr;
    char* text = nullptr;
    if (ssh_get_server_publickey(session, &raw) != SSH_OK)
        return failure(ErrorCode::Protocol, QStringLiteral("%1 showed no host key.").arg(m_node), m_node);
    const SshKey key(raw);
    if (ssh_pki_export_pubkey_base64(key.get(), &text) != SSH_OK)
        return failure(ErrorCode::Protocol, QStringLiteral("%1 showed a host key that cannot be read.").arg(m_node),
                       m_node);
    ServerKey shown;
    shown.blob = QByteArray::fromBase64(text);
    ssh_string_free_char(text);
    // The blob begins with its algorithm: a length word, then the name.
    shown.algorithm = shown.blob.mid(4, static_cast<unsigned char>(shown.blob.at(3)));
    return shown;
}

} // namespace lockstep
