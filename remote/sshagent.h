// SPDX-License-Identifier: GPL-3.0-or-later
// The ssh-agent of the person at the desktop (draft-miller-ssh-agent). Asked here and not by libssh, which waits for it
// without limit and offers every key it holds. Any worker thread.
#pragma once

#include "remote/descriptor.h"
#include "remote/transport.h"

#include <thread>

namespace lockstep {

struct AgentKey {
    QByteArray blob; // public key, as on the wire
    QByteArray comment;

    bool operator==(const AgentKey&) const = default;
};

// One message there and its answer back, without the length words.
[[nodiscard]] Result<QByteArray> askAgent(const QString& socket, const QByteArray& message, Deadline deadline,
                                          const std::stop_token& stop);
[[nodiscard]] Result<QList<AgentKey>> listAgentKeys(const QString& socket, Deadline deadline,
                                                    const std::stop_token& stop);

// An agent that holds one key of another agent, perhaps by a certificate for it: what libssh gets to see. Its answers
// are bounded by the deadline and the stop token, so libssh's endless wait ends too.
class OneKeyAgent {
public:
    OneKeyAgent(QString socket, AgentKey key, QByteArray shown, Deadline deadline, std::stop_token stop);
    ~OneKeyAgent();
    OneKeyAgent(const OneKeyAgent&) = delete;
    OneKeyAgent& operator=(const OneKeyAgent&) = delete;

    [[nodiscard]] int clientSocket() const { return m_client.get(); } // stays ours; libssh must let go of it first

private:
    void serve(const QString& socket, const AgentKey& key, const QByteArray& shown, Deadline deadline,
               const std::stop_token& stop) const;

    Descriptor m_client, m_server;
    std::jthread m_thread;
};

} // namespace lockstep
