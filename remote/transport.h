// SPDX-License-Identifier: GPL-3.0-or-later
// The one abstraction over "run this there, talk to it, stream its output". LocalTransport: this machine, no sshd.
// SshTransport: libssh. Threads: call from any worker thread (never from the I/O thread or the GUI); one Process is
// used by one thread at a time.
#pragma once

#include "core/error.h"
#include "core/inventory.h"
#include "core/nodestate.h"

#include <QByteArray>
#include <QList>

#include <chrono>
#include <memory>
#include <stop_token>

namespace lockstep {

struct Deadline { // a point in time that a wait ends at
    std::chrono::steady_clock::time_point at = std::chrono::steady_clock::time_point::max();
    [[nodiscard]] static Deadline in(std::chrono::milliseconds time)
    {
        return {std::chrono::steady_clock::now() + time};
    }
};

struct Chunk {
    QByteArray out;
    QByteArray err;
    bool ended = false; // no more bytes will come; exitCode or signal holds
    int exitCode = -1;
    QByteArray signal; // "KILL" when a signal ended it
};

class Process {
public:
    virtual ~Process() = default; // closes the channel; what runs there ends when it reads the end of its input
    // Waits for bytes or for the end: Timeout at the deadline (nothing is lost, read again), Stopped, ConnectionLost.
    [[nodiscard]] virtual Result<Chunk> read(Deadline deadline, std::stop_token stop) = 0;
    // Returns when the bytes have been handed to the connection (back-pressure).
    // Protocol when the program ended or closed its input first: read says why.
    [[nodiscard]] virtual Result<void> write(const QByteArray& bytes, Deadline deadline, std::stop_token stop) = 0;
    // The same without waiting: for input that lies in memory anyway. It goes out while others read and write.
    virtual void queueInput(const QByteArray& bytes) = 0;
    [[nodiscard]] virtual Result<void> closeInput() = 0; // after what was written and queued; does not wait
};

struct Finished {
    QByteArray out, err;
    int exitCode = -1;
    QByteArray signal; // "KILL" when a signal ended it; exitCode is -1 then
};

enum class Lane { Control, Bulk }; // Bulk: a connection of its own for uploads

class Transport {
public:
    virtual ~Transport() = default; // what it started ends with ConnectionLost; a dead link is not waited for
    [[nodiscard]] virtual const Node& node() const = 0;
    [[nodiscard]] virtual Result<void> connect(Deadline deadline, std::stop_token stop) = 0; // idempotent
    // Whether there is a connection that was not found silent: connect then asks nobody, and knocks at no door.
    [[nodiscard]] virtual bool isConnected() const = 0;
    // The words of `argv` reach the program there byte for byte, whatever the login shell is.
    [[nodiscard]] virtual Result<std::unique_ptr<Process>> start(const QList<QByteArray>& argv, Deadline deadline,
                                                                 std::stop_token stop, Lane lane = Lane::Control) = 0;
    [[nodiscard]] virtual std::optional<HostKey> hostKey() const = 0; // the one seen last
    [[nodiscard]] virtual QString signedInWith() const = 0;           // "~/.ssh/id_ed25519", "ssh-agent: alice@desk"

    // start, write `input`, close it, read to the end.
    [[nodiscard]] Result<Finished> run(const QList<QByteArray>& argv, const QByteArray& input, Deadline deadline,
                                       std::stop_token stop);
};

} // namespace lockstep
