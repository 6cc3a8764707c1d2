// SPDX-License-Identifier: GPL-3.0-or-later
// This machine as a node: no sshd, no shell. Both lanes are the same.
#pragma once

#include "remote/transport.h"

namespace lockstep {

class LocalTransport final : public Transport {
public:
    explicit LocalTransport(Node node);
    ~LocalTransport() override;
    LocalTransport(const LocalTransport&) = delete;
    LocalTransport& operator=(const LocalTransport&) = delete;

    [[nodiscard]] const Node& node() const override { return m_node; }
    [[nodiscard]] Result<void> connect(Deadline deadline, std::stop_token stop) override;
    [[nodiscard]] Result<std::unique_ptr<Process>> start(const QList<QByteArray>& argv, Deadline deadline,
                                                         std::stop_token stop, Lane lane = Lane::Control) override;
    [[nodiscard]] bool isConnected() const override { return true; }
    [[nodiscard]] std::optional<HostKey> hostKey() const override { return {}; }
    [[nodiscard]] QString signedInWith() const override;

private:
    Node m_node;
    std::stop_source m_open;
};

} // namespace lockstep
