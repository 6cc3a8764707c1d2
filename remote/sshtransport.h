// SPDX-License-Identifier: GPL-3.0-or-later
// A node over SSH. Connecting (names, addresses, keys, agent, known_hosts) is straight-line code on the calling worker
// thread, because some of it cannot be made not to block; a connected session lives on the I/O thread. Many may use one
// at once: programs run side by side on one session, uploads on a second one, further ones only where the server takes
// no more programs on those (MaxSessions). Where a person had to say something to get in, uploads share the first.
//
// connect and start look whether a session that was silent still answers, and replace one that does not; what ran on it
// then ends with ConnectionLost.
#pragma once

#include "remote/sshsettings.h"
#include "remote/transport.h"

namespace lockstep {

class IoThread;
class SshSession;

class SshTransport final : public Transport {
public:
    SshTransport(Node node, IoThread& io, SshSettings settings);
    ~SshTransport() override;
    SshTransport(const SshTransport&) = delete;
    SshTransport& operator=(const SshTransport&) = delete;

    [[nodiscard]] const Node& node() const override { return m_node; }
    // Unreachable, Timeout, HostKeyUnknown and HostKeyChanged (then hostKey() has it), AuthFailed, NeedsPassphrase,
    // BadInput.
    [[nodiscard]] Result<void> connect(Deadline deadline, std::stop_token stop) override;
    [[nodiscard]] Result<std::unique_ptr<Process>> start(const QList<QByteArray>& argv, Deadline deadline,
                                                         std::stop_token stop, Lane lane = Lane::Control) override;
    [[nodiscard]] bool isConnected() const override;
    [[nodiscard]] std::optional<HostKey> hostKey() const override;
    [[nodiscard]] QString signedInWith() const override;

    // After connect failed with HostKeyUnknown and a person has seen `fingerprint`: adds that key to known_hosts, as
    // ssh does. Refused when the key seen last is another one.
    [[nodiscard]] Result<void> acceptHostKey(const QString& fingerprint);

private:
    struct State; // only ever touched on the I/O thread
    [[nodiscard]] Result<std::shared_ptr<SshSession>> session(Lane lane, std::size_t index, Deadline& deadline,
                                                              const std::stop_token& stop);
    [[nodiscard]] Result<std::shared_ptr<SshSession>> connectNew(Lane lane, std::size_t index, Deadline& deadline,
                                                                 const std::stop_token& stop);

    void sayFull(std::size_t connections);

    Node m_node;
    IoThread& m_io;
    SshSettings m_settings;
    std::shared_ptr<State> m_state;
};

} // namespace lockstep
