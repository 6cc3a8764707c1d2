// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of a channel: what is sent, what is read ahead, and the answers to those who wait for either.
#include "remote/sshchannel.h"

namespace lockstep {

namespace {

constexpr qsizetype kBufferBytes = 1024 * 1024; // read ahead of the caller at most; then libssh's window shuts
constexpr qsizetype kTurnBytes = 256 * 1024;    // written in one turn of the event loop
constexpr qsizetype kPieceBytes = 32 * 1024;    // a packet's payload
constexpr qsizetype kQueueBytes = 256 * 1024;   // left to hand over when a writer may go on

} // namespace

void SshChannel::sendSome()
{
    if (m_session->writing())
        return; // the write notifier brings us back
    for (qsizetype turn = 0; !m_pending.empty() && turn < kTurnBytes;) {
        const QByteArray& piece = m_pending.front();
        const qsizetype size = std::min(piece.size() - m_pendingOffset, kPieceBytes);
        const int sent = m_session->call([&] {
            return ssh_channel_write(m_channel, piece.constData() + m_pendingOffset, static_cast<uint32_t>(size));
        });
        if (sent < 0 && m_session->broken())
            return m_session->lose(m_session->linkError());
        if (sent < 0) {
            m_inputGone = true; // the program closed its input or ended
            m_pending.clear();
            m_pendingBytes = 0;
            return;
        }
        if (sent == 0)
            return; // the far window is shut; the packet that opens it wakes us
        turn += sent;
        m_pendingOffset += sent;
        m_pendingBytes -= sent;
        if (m_pendingOffset == piece.size()) {
            m_pending.pop_front();
            m_pendingOffset = 0;
        }
    }
    if (!m_pending.empty()) {
        if (!m_session->writing())
            m_session->scheduleWake();
    } else if (m_closeInput && !m_eofSent && !m_closed) {
        m_eofSent = true;
        m_session->call([this] { return ssh_channel_send_eof(m_channel); });
    }
}

int SshChannel::take(const char* bytes, qsizetype size, int isStderr)
{
    const qsizetype taken = std::min(size, kBufferBytes - std::min(buffered(), kBufferBytes));
    if (isStderr != 0)
        m_err += m_errFilter.feed(bytes, taken);
    else
        m_out += m_outFilter.feed(bytes, taken);
    if (taken < size)
        m_held = true;
    if (!m_failure && (m_outFilter.isEndless() || m_errFilter.isEndless()))
        m_failure = Error{ErrorCode::Protocol,
                          QStringLiteral("The login shell on %1 prints without end before it starts a program. Log in "
                                         "there by ssh and look at its start-up files.")
                              .arg(m_session->node()),
                          m_session->node()};
    return static_cast<int>(taken);
}

void SshChannel::takeHeld()
{
    if (!m_held || buffered() >= kBufferBytes)
        return;
    m_held = false;
    QByteArray bytes(kPieceBytes, '\0');
    for (const int isStderr : {0, 1}) {
        while (buffered() + kPieceBytes <= kBufferBytes) {
            const int got = m_session->call([&] {
                return ssh_channel_read_nonblocking(m_channel, bytes.data(), static_cast<uint32_t>(bytes.size()),
                                                    isStderr);
            });
            if (got <= 0)
                break;
            take(bytes.constData(), got, isStderr);
        }
        m_held = m_held || buffered() + kPieceBytes > kBufferBytes;
    }
}

bool SshChannel::ended() const
{
    // After its status and the end of its output nothing more can come, even if the link is lost before the close.
    return !m_held && (m_closed || (m_exitSeen && m_eof && m_failure));
}

void SshChannel::answerRead()
{
    if (!m_reading)
        return;
    const bool over = ended();
    if (over && !m_outFilter.found()) { // the login shell refused: its words are all there is
        m_err = m_outFilter.before() + m_errFilter.before() + m_err;
    }
    if (m_out.isEmpty() && m_err.isEmpty() && !over) {
        if (m_failure)
            std::exchange(m_reading, std::nullopt)->set_value(std::unexpected(*m_failure));
        return;
    }
    Chunk chunk;
    chunk.out = std::exchange(m_out, {});
    chunk.err = std::exchange(m_err, {});
    chunk.ended = over;
    if (over) {
        chunk.exitCode = m_exitCode;
        chunk.signal = m_signal;
    }
    std::exchange(m_reading, std::nullopt)->set_value(std::move(chunk));
    if (m_held)
        m_session->scheduleWake();
}

void SshChannel::answerWrite()
{
    if (!m_writing)
        return;
    if (m_failure)
        std::exchange(m_writing, std::nullopt)->set_value(std::unexpected(*m_failure));
    else if (m_inputGone || m_closed)
        std::exchange(m_writing, std::nullopt)
            ->set_value(failure(
                ErrorCode::Protocol,
                QStringLiteral("%1 on %2 ended before it had read all of its input.").arg(m_program, m_session->node()),
                m_session->node()));
    else if (m_pendingBytes <= kQueueBytes)
        std::exchange(m_writing, std::nullopt)->set_value({});
}

} // namespace lockstep
