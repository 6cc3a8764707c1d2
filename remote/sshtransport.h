// SPDX-License-Identifier: GPL-3.0-or-later
// A node over SSH. Connecting (names, addresses, keys, agent, known_hosts) is straight-line code on the calling worker
// thread, because some of it cannot be made not to block; a connected session lives on the I/O thread.
#pragma once

#include "remote/sshsettings.h"
#include "remote/transport.h"

namespace lockstep {

class IoThread;
class SshSession;

class SshTransport final : public Transport {
public:
    SshTransport(Node node, IoThread& io, SshSettings settings);
    ~SshTransport() override; // the same as close()
    SshTransport(const SshTransport&) = delete;
    SshTransport& operator=(const SshTransport&) = delete;

    [[nodiscard]] const Node& node() const override { return m_node; }
    // Unreachable, Timeout, HostKeyUnknown and HostKeyChanged (then hostKey() has it), AuthFailed, NeedsPassphrase,
    // BadInput.
    [[nodiscard]] Result<void> connect(Deadline deadline, std::stop_token stop) override;
    [[nodiscard]] Result<std::unique_ptr<Process>> start(const QList<QByteArray>& argv, Deadline deadline,
                                                         std::stop_token stop, Lane lane = Lane::Control) override;
    void close() override;
    [[nodiscard]] std::optional<HostKey> hostKey() const override;
    [[nodiscard]] QString signedInWith() const override;

    // After connect failed with HostKeyUnknown and a person has seen `fingerprint`: adds that key to known_hosts, as
    // ssh does. Refused when the key seen last is another one.
    [[nodiscard]] Result<void> acceptHostKey(const QString& fingerprint);

private:
    struct State; // only ever touched on the I/O thread
    [[nodiscard]] Result<std::shared_ptr<SshSession>> session(Lane lane, std::size_t index, Deadline& deadline,
                                                              const std::stop_token& stop);
    [[nodiscard]] Result<std::shared_ptr<SshSession>> connectNew(Deadline& deadline, const std::stop_token& stop);

    Node m_node;
    IoThread& m_io;
    SshSettings m_settings;
    std::shared_ptr<State> m_state;
};

} // namespace lockstep
