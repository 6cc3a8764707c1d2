// SPDX-License-Identifier: GPL-3.0-or-later
// A program on a node: open a channel, request it, move bytes, note its end. A small state machine; every answer goes
// through a promise that is kept exactly once. Thread: I/O.
#pragma once

#include "remote/markerfilter.h"
#include "remote/sshsession.h"

#include <deque>
#include <future>

namespace lockstep {

class SshChannel final : public SessionChannel {
public:
    using Started = std::promise<Result<void>>;
    using Read = std::promise<Result<Chunk>>;
    using Written = std::promise<Result<void>>;

    // Busy when the server opens no more channels on this session (MaxSessions).
    SshChannel(std::shared_ptr<SshSession> session, QByteArray command, QByteArray marker, QString program,
               Started started);
    ~SshChannel() override;
    SshChannel(const SshChannel&) = delete;
    SshChannel& operator=(const SshChannel&) = delete;

    // One of each kind at a time.
    void read(Read answer);
    void write(const QByteArray& bytes, Written answer); // answered when little is left to hand over
    void queueInput(const QByteArray& bytes);
    void closeInput();
    void giveUp(ErrorCode code); // answers what is still open, with Timeout or Stopped
    void drop();                 // closes the channel; nobody will ask again

    void advance() override;
    void fail(const Error& error) override;

private:
    enum class State { Opening, Requesting, Running, Over };

    void advanceStart();
    void finishStart(Result<void> result);
    void sendSome();
    void takeHeld();
    void answerRead();
    void answerWrite();
    void release();
    [[nodiscard]] bool ended() const;
    [[nodiscard]] qsizetype buffered() const { return m_out.size() + m_err.size(); }
    int take(const char* bytes, qsizetype size, int isStderr);

    static int onData(ssh_session, ssh_channel, void* data, uint32_t size, int isStderr, void* self);
    static void onEof(ssh_session, ssh_channel, void* self);
    static void onClose(ssh_session, ssh_channel, void* self);
    static void onExitStatus(ssh_session, ssh_channel, int code, void* self);
    static void onExitSignal(ssh_session, ssh_channel, const char* signal, int core, const char* message,
                             const char* language, void* self);

    std::shared_ptr<SshSession> m_session;
    QByteArray m_command;
    QString m_program;
    State m_state = State::Opening;
    ssh_channel m_channel = nullptr;
    ssh_channel_callbacks_struct m_callbacks{};

    std::optional<Started> m_starting;
    std::optional<Read> m_reading;
    std::optional<Written> m_writing;

    std::deque<QByteArray> m_pending; // input on its way
    qsizetype m_pendingOffset = 0, m_pendingBytes = 0;
    bool m_closeInput = false, m_eofSent = false, m_inputGone = false;

    MarkerFilter m_outFilter, m_errFilter;
    QByteArray m_out, m_err;
    bool m_held = false; // libssh keeps bytes back for us, so the window stays shut
    bool m_eof = false, m_closed = false, m_exitSeen = false;
    int m_exitCode = -1;
    QByteArray m_signal;
    std::optional<Error> m_failure;
};

} // namespace lockstep
