// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshchannel.h"

namespace lockstep {

namespace {

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
