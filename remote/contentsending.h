// SPDX-License-Identifier: GPL-3.0-or-later
// One try of a deploy: one call of `lockstep-agent receive`, to its `done` or to the first failure. Worker thread.
#pragma once

#include "remote/agentcall.h"
#include "remote/deployer.h"

#include <optional>

namespace lockstep {

class ContentSending {
public:
    ContentSending(NodeLink& link, const DeployOrder& order, QByteArray sender, std::stop_token stop);

    [[nodiscard]] Result<QByteArray> run(); // the bundle's path there
    [[nodiscard]] int filesSent() const { return m_filesSent; }
    [[nodiscard]] qint64 bytesSent() const { return m_call ? m_call->bytesSent() : 0; }
    [[nodiscard]] qint64 bytesReceived() const { return m_call ? m_call->bytesReceived() : 0; }

private:
    struct Needed {
        QByteArray hash;
        CompressedFile file;
        qint64 from = 0; // the bytes before it are there since before a cut
    };
    [[nodiscard]] Result<QList<Needed>> askNeeded();
    [[nodiscard]] Result<Needed> needed(const AgentRecord& record) const;
    [[nodiscard]] Result<void> send(const Needed& needed);
    void told(qint64 bytes);

    NodeLink& m_link;
    const DeployOrder& m_order;
    QByteArray m_sender;
    std::stop_token m_stop;
    std::optional<AgentCall> m_call;
    int m_filesSent = 0;
    DeployProgress m_progress;
    std::chrono::steady_clock::time_point m_start, m_next;
};

} // namespace lockstep
