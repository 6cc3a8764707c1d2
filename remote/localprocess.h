// SPDX-License-Identifier: GPL-3.0-or-later
// A program on this machine, as a Process. Thread: whichever calls; the waiting calls move the bytes.
#pragma once

#include "remote/descriptor.h"
#include "remote/transport.h"

#include <sys/types.h>

#include <deque>

namespace lockstep {

class LocalProcess final : public Process {
public:
    // A program that cannot be started is one that ended with 127 (not found) or 126, as under a shell.
    [[nodiscard]] static Result<std::unique_ptr<Process>> start(const QList<QByteArray>& argv, const QString& node,
                                                                std::stop_token closed);
    ~LocalProcess() override; // closes its input, gives it a moment, then ends it
    LocalProcess(const LocalProcess&) = delete;
    LocalProcess& operator=(const LocalProcess&) = delete;

    [[nodiscard]] Result<Chunk> read(Deadline deadline, std::stop_token stop) override;
    [[nodiscard]] Result<void> write(const QByteArray& bytes, Deadline deadline, std::stop_token stop) override;
    void queueInput(const QByteArray& bytes) override;
    [[nodiscard]] Result<void> closeInput() override;

private:
    enum class Until { Bytes, InputTaken };

    LocalProcess(QString node, QString program, std::stop_token closed);
    [[nodiscard]] Result<void> waitFor(Until until, Deadline deadline, const std::stop_token& stop);
    void pump();
    void pumpInput();
    void noticeEnd();
    [[nodiscard]] bool ended() const { return m_exited && m_outDrained && m_errDrained; }

    QString m_node, m_program;
    std::stop_token m_closed;
    pid_t m_pid = -1;
    Descriptor m_pidFd, m_in, m_out, m_err;
    std::deque<QByteArray> m_pending; // input that the pipe has not taken yet
    qsizetype m_pendingOffset = 0;    // into its first piece
    bool m_closeInput = false;
    bool m_inputGone = false; // the program closed its end
    QByteArray m_outBytes, m_errBytes;
    bool m_exited = false;
    bool m_outDrained = false, m_errDrained = false;
    int m_exitCode = -1;
    QByteArray m_signal;
};

} // namespace lockstep
