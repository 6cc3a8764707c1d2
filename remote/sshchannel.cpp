// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshchannel.h"

namespace lockstep {

namespace {

constexpr qsizetype kBufferBytes = 1024 * 1024; // read ahead of the caller at most; then libssh's window shuts
constexpr qsizetype kTurnBytes = 256 * 1024;    // written in one turn of the event loop
constexpr qsizetype kPieceBytes = 32 * 1024;    // a packet's payload
constexpr qsizetype kQueueBytes = 256 * 1024;   // left to hand over when a writer may go on

SshChannel& channelOf(void* self)
{
    return *static_cast<SshChannel*>(self);
}

} // namespace

SshChannel::SshChannel(std::shared_ptr<SshSession> session, QByteArray command, QByteArray marker, QString program,
                       Started started)
    : m_session(std::move(session)), m_command(std::move(command)), m_program(std::move(program)),
      m_starting(std::move(started)), m_outFilter(marker), m_errFilter(marker)
{
    if (m_session->lost()) {
        fail(*m_session->lost());
        return;
    }
    m_channel = ssh_channel_new(m_session->get());
    m_callbacks.userdata = this;
    m_callbacks.channel_data_function = onData;
    m_callbacks.channel_eof_function = onEof;
    m_callbacks.channel_close_function = onClose;
    m_callbacks.channel_exit_status_function = onExitStatus;
    m_callbacks.channel_exit_signal_function = onExitSignal;
    ssh_callbacks_init(&m_callbacks);
    ssh_set_channel_callbacks(m_channel, &m_callbacks);
}

SshChannel::~SshChannel()
{
    release();
}

void SshChannel::release()
{
    if (m_channel == nullptr)
        return;
    // Freeing an open channel does not drop its callbacks; the far end's close would call into freed memory.
    ssh_remove_channel_callbacks(m_channel, &m_callbacks);
    ssh_channel channel = std::exchange(m_channel, nullptr);
    if (m_session->lost())
        return; // freed with its session
    m_session->call([channel] {
        ssh_channel_free(channel);
        return 0;
    });
}

void SshChannel::drop()
{
    m_starting.reset();
    m_reading.reset();
    m_writing.reset();
    m_state = State::Over;
    release();
}

void SshChannel::fail(const Error& error)
{
    if (!m_failure)
        m_failure = error;
    // What came before the loss counts; what libssh still holds goes with it.
    if (m_channel != nullptr)
        ssh_remove_channel_callbacks(m_channel, &m_callbacks);
    m_channel = nullptr;
    finishStart(std::unexpected(error));
    answerWrite();
    answerRead();
}

void SshChannel::advance()
{
    if (m_state == State::Over || m_channel == nullptr)
        return;
    if (m_state == State::Opening || m_state == State::Requesting)
        advanceStart();
    if (m_state != State::Running)
        return;
    takeHeld();
    if (m_channel != nullptr)
        sendSome();
    answerWrite();
    answerRead();
}

void SshChannel::advanceStart()
{
    const QString& node = m_session->node();
    if (m_state == State::Opening) {
        const int opened = m_session->call([this] { return ssh_channel_open_session(m_channel); });
        if (opened == SSH_AGAIN)
            return;
        if (opened != SSH_OK) {
            if (m_session->broken())
                return m_session->lose(m_session->linkError());
            return finishStart(
                failure(ErrorCode::Busy,
                        QStringLiteral("%1 opens no further channel on this connection (MaxSessions of its "
                                       "sshd).")
                            .arg(node),
                        node));
        }
        m_session->channelOpened();
        m_state = State::Requesting;
    }
    const int requested =
        m_session->call([this] { return ssh_channel_request_exec(m_channel, m_command.constData()); });
    if (requested == SSH_AGAIN)
        return;
    if (requested != SSH_OK) {
        if (m_session->broken())
            return m_session->lose(m_session->linkError());
        return finishStart(failure(ErrorCode::Protocol,
                                   QStringLiteral("%1 does not let this account start programs over SSH.").arg(node),
                                   node));
    }
    m_state = State::Running;
    finishStart({});
}

void SshChannel::finishStart(Result<void> result)
{
    if (!result)
        m_state = State::Over;
    if (m_starting)
        std::exchange(m_starting, std::nullopt)->set_value(std::move(result));
}

void SshChannel::read(Read answer)
{
    m_reading = std::move(answer);
    if (m_session->lost())
        return answerRead();
    advance();
}

void SshChannel::write(const QByteArray& bytes, Written answer)
{
    m_writing = std::move(answer);
    queueInput(bytes);
    answerWrite();
}

void SshChannel::queueInput(const QByteArray& bytes)
{
    if (bytes.isEmpty() || m_inputGone)
        return;
    m_pending.push_back(bytes);
    m_pendingBytes += bytes.size();
    advance();
}

void SshChannel::closeInput()
{
    m_closeInput = true;
    advance();
}

void SshChannel::giveUp(ErrorCode code)
{
    const QString& node = m_session->node();
    const Error error{code,
                      code == ErrorCode::Stopped
                          ? QStringLiteral("%1 on %2 was stopped.").arg(m_program, node)
                          : QStringLiteral("%1 on %2 did not answer in time.").arg(m_program, node),
                      node};
    if (m_starting)
        finishStart(std::unexpected(error));
    if (m_reading)
        std::exchange(m_reading, std::nullopt)->set_value(std::unexpected(error));
    if (m_writing)
        std::exchange(m_writing, std::nullopt)->set_value(std::unexpected(error));
}

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

// Called by libssh in the middle of its work: they only note.

int SshChannel::onData(ssh_session, ssh_channel, void* data, uint32_t size, int isStderr, void* self)
{
    return channelOf(self).take(static_cast<const char*>(data), size, isStderr);
}

void SshChannel::onEof(ssh_session, ssh_channel, void* self)
{
    channelOf(self).m_eof = true;
}

void SshChannel::onClose(ssh_session, ssh_channel, void* self)
{
    channelOf(self).m_closed = true;
}

void SshChannel::onExitStatus(ssh_session, ssh_channel, int code, void* self)
{
    channelOf(self).m_exitSeen = true;
    channelOf(self).m_exitCode = code;
}

void SshChannel::onExitSignal(ssh_session, ssh_channel, const char* signal, int, const char*, const char*, void* self)
{
    channelOf(self).m_exitSeen = true;
    channelOf(self).m_signal = signal;
}

} // namespace lockstep
