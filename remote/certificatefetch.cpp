// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/certificatefetch.h"

#include "remote/sshwire.h"
#include "remote/waiting.h"

#include <QRandomGenerator>

#include <cerrno>
#include <sys/socket.h>

namespace lockstep {

namespace {

constexpr char kDisconnect = 1, kKexInit = 20, kEcdhInit = 30, kEcdhReply = 31; // RFC 4253, RFC 5656
constexpr qsizetype kPacketBytes = 256 * 1024, kLineBytes = 8192;               // more is not taken
constexpr int kLines = 1024, kPackets = 16;                                     // before it comes to the point
constexpr std::chrono::seconds kFetchTime{8};

constexpr char kCertificates[] = "ssh-ed25519-cert-v01@openssh.com,ecdsa-sha2-nistp256-cert-v01@openssh.com,"
                                 "ecdsa-sha2-nistp384-cert-v01@openssh.com,ecdsa-sha2-nistp521-cert-v01@openssh.com,"
                                 "rsa-sha2-512-cert-v01@openssh.com,rsa-sha2-256-cert-v01@openssh.com";
constexpr char kCurve25519[] = "curve25519-sha256", kCurve25519Old[] = "curve25519-sha256@libssh.org";
constexpr char kP256[] = "ecdh-sha2-nistp256";
constexpr char kCiphers[] = "aes128-ctr,aes256-ctr,aes128-gcm@openssh.com,aes256-gcm@openssh.com,"
                            "chacha20-poly1305@openssh.com";
constexpr char kMacs[] = "hmac-sha2-256,hmac-sha2-512,hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com";
// The base point of P-256 (SEC 2): any point will do, since no secret is ever agreed on.
constexpr char kP256Point[] = "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                              "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";

QByteArray randomBytes(qsizetype size)
{
    QByteArray bytes(size, '\0');
    QRandomGenerator::system()->generate(bytes.begin(), bytes.end());
    return bytes;
}

QByteArray packet(const QByteArray& payload)
{
    qsizetype padding = 8 - (payload.size() + 5) % 8;
    padding += padding < 4 ? 8 : 0;
    return wireNumber(payload.size() + padding + 1) + static_cast<char>(padding) + payload + QByteArray(padding, '\0');
}

QByteArray kexInit()
{
    const QByteArray kex = QByteArray(kCurve25519) + ',' + kCurve25519Old + ',' + kP256;
    QByteArray payload = kKexInit + randomBytes(16) + wireString(kex) + wireString(kCertificates);
    for (const char* list : {kCiphers, kCiphers, kMacs, kMacs, "none", "none", "", ""})
        payload += wireString(list);
    return payload + QByteArray(5, '\0'); // no guess, nothing reserved
}

class Talk {
public:
    Talk(const Descriptor& socket, Deadline deadline, const std::stop_token& stop)
        : m_socket(socket.get()), m_deadline(earlier(deadline, Deadline::in(kFetchTime))), m_stop(stop),
          m_wake(stop, {})
    {
    }

    [[nodiscard]] bool send(const QByteArray& bytes)
    {
        for (qsizetype sent = 0; sent < bytes.size();) {
            const ssize_t now =
                ::send(m_socket, bytes.constData() + sent, static_cast<std::size_t>(bytes.size() - sent), MSG_NOSIGNAL);
            if (now >= 0)
                sent += now;
            else if (errno != EINTR && (errno != EAGAIN || !ready(POLLOUT)))
                return false;
        }
        return true;
    }

    // The line that names the protocol; servers may say other things before.
    [[nodiscard]] bool readVersion()
    {
        for (int lines = 0; lines < kLines; ++lines) {
            qsizetype end = -1;
            while ((end = m_got.indexOf('\n')) < 0)
                if (m_got.size() > kLineBytes || !more())
                    return false;
            const QByteArray line = m_got.left(end);
            m_got.remove(0, end + 1);
            if (line.startsWith("SSH-2.0-") || line.startsWith("SSH-1.99-"))
                return true;
        }
        return false;
    }

    [[nodiscard]] std::optional<QByteArray> readPacket() // its payload
    {
        if (!atLeast(5))
            return {};
        const qsizetype length = qFromBigEndian<quint32>(m_got.constData());
        const qsizetype padding = static_cast<unsigned char>(m_got[4]);
        if (length > kPacketBytes || length < padding + 2 || !atLeast(length + 4))
            return {};
        QByteArray payload = m_got.mid(5, length - padding - 1);
        m_got.remove(0, length + 4);
        return payload;
    }

    [[nodiscard]] bool ended() const { return m_stop.stop_requested() || passed(m_deadline); }

private:
    [[nodiscard]] bool ready(short events) const
    {
        pollfd entries[] = {{m_socket, events, 0}, m_wake.pollEntry()};
        while (!ended())
            if (poll(entries, std::size(entries), pollTimeout(m_deadline)) > 0 && entries[0].revents != 0)
                return true;
        return false;
    }
    [[nodiscard]] bool more()
    {
        QByteArray piece(4096, '\0');
        for (;;) {
            const ssize_t got = recv(m_socket, piece.data(), static_cast<std::size_t>(piece.size()), 0);
            if (got > 0) {
                m_got += piece.left(got);
                return true;
            }
            if (got == 0 || (errno != EINTR && (errno != EAGAIN || !ready(POLLIN))))
                return false;
        }
    }
    [[nodiscard]] bool atLeast(qsizetype size)
    {
        while (m_got.size() < size)
            if (!more())
                return false;
        return true;
    }

    int m_socket;
    Deadline m_deadline;
    const std::stop_token& m_stop;
    StopWake m_wake;
    QByteArray m_got;
};

// The first of ours that the server has, too (RFC 4253, section 7.1).
std::optional<QByteArray> publicValue(const QByteArray& serverKex)
{
    const QList<QByteArray> theirs = serverKex.split(',');
    if (theirs.contains(kCurve25519) || theirs.contains(kCurve25519Old))
        return randomBytes(32);
    if (theirs.contains(kP256))
        return QByteArray::fromHex(kP256Point);
    return {};
}

} // namespace

Result<QByteArray> fetchHostCertificate(const Descriptor& socket, const QString& node, Deadline deadline,
                                        const std::stop_token& stop)
{
    Talk talk(socket, deadline, stop);
    const auto lost = [&] {
        return failure(talk.ended() ? (stop.stop_requested() ? ErrorCode::Stopped : ErrorCode::Timeout)
                                    : ErrorCode::ConnectionLost,
                       QStringLiteral("%1 closed the connection when it was asked for its host certificate.").arg(node),
                       node);
    };
    if (!talk.send("SSH-2.0-Lockstep\r\n" + packet(kexInit())) || !talk.readVersion())
        return std::unexpected(lost().error());
    for (int packets = 0; packets < kPackets; ++packets) {
        const auto payload = talk.readPacket();
        if (!payload)
            return packets == 0 || talk.ended() ? Result<QByteArray>(lost()) : QByteArray();
        WireReader reader(payload->mid(1));
        switch (payload->at(0)) {
        case kKexInit: {
            (void)reader.take(16);
            const auto value = publicValue(reader.string());
            if (!value || !talk.send(packet(kEcdhInit + wireString(*value))))
                return QByteArray();
            break;
        }
        case kEcdhReply:
            return reader.string();
        case kDisconnect: // no host key of a kind that we asked for
            return QByteArray();
        default:
            break;
        }
    }
    return QByteArray();
}

} // namespace lockstep
