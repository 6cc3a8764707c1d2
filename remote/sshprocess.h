// SPDX-License-Identifier: GPL-3.0-or-later
// A program on a node, as the worker thread that uses it sees it: asks its channel and waits.
#pragma once

#include "remote/sshchannel.h"

namespace lockstep {

class IoThread;

class SshProcess final : public Process {
public:
    // Busy: the session has no room for another channel.
    [[nodiscard]] static Result<std::unique_ptr<Process>> start(IoThread& io, std::shared_ptr<SshSession> session,
                                                                const QList<QByteArray>& argv, Deadline deadline,
                                                                const std::stop_token& stop);
    ~SshProcess() override;
    SshProcess(const SshProcess&) = delete;
    SshProcess& operator=(const SshProcess&) = delete;

    [[nodiscard]] Result<Chunk> read(Deadline deadline, std::stop_token stop) override;
    [[nodiscard]] Result<void> write(const QByteArray& bytes, Deadline deadline, std::stop_token stop) override;
    void queueInput(const QByteArray& bytes) override;
    [[nodiscard]] Result<void> closeInput() override;

private:
    SshProcess(IoThread& io, std::shared_ptr<SshChannel> channel);
    template <typename T, typename Ask>
    [[nodiscard]] T wait(Deadline deadline, const std::stop_token& stop, Ask ask);

    IoThread& m_io;
    std::shared_ptr<SshChannel> m_channel; // used on the I/O thread only
};

} // namespace lockstep
