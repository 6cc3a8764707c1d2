// SPDX-License-Identifier: GPL-3.0-or-later
// One verb of lockstep-agent on a node: its answer as records, its failure as an Error. Any worker thread, one at a
// time. What it says on stderr (words for people, and the beats of `follow`) is kept apart.
#pragma once

#include "core/wire/decoder.h"
#include "remote/transport.h"

#include <deque>
#include <map>
#include <optional>
#include <string>

namespace lockstep {

struct AgentRecord { // a record that outlives the bytes it came in
    std::string kind;
    int rank = wire::kNode;
    std::int64_t timeUs = 0;
    std::map<std::string, std::string, std::less<>> fields;

    [[nodiscard]] static AgentRecord from(const wire::RecordView& view);
    [[nodiscard]] QString text(std::string_view key) const;                  // empty when missing
    [[nodiscard]] std::optional<qint64> integer(std::string_view key) const; // nullopt: missing or no number
};

// The Error that an `error` record of the agent stands for.
[[nodiscard]] Error agentError(const AgentRecord& record, const QString& node);

class AgentCall {
public:
    [[nodiscard]] static Result<AgentCall> start(Transport& transport, const QByteArray& agent,
                                                 const QList<QByteArray>& words, Deadline deadline,
                                                 std::stop_token stop, Lane lane = Lane::Control);

    // The next record; nullopt: the verb ended with exit code 0. An `error` record, a bad exit code, and bytes that are
    // no record are errors.
    [[nodiscard]] Result<std::optional<AgentRecord>> next(Deadline deadline, std::stop_token stop);
    // Records up to the one of this kind, which is returned; the verb ending before is an error.
    [[nodiscard]] Result<AgentRecord> expect(std::string_view kind, Deadline deadline, std::stop_token stop);
    // Records up to the end of the verb.
    [[nodiscard]] Result<std::vector<AgentRecord>> all(Deadline deadline, std::stop_token stop);

    // Takes what has arrived without waiting, so that an agent that talks while it listens is never blocked; an `error`
    // record among it is returned.
    [[nodiscard]] Result<void> drain(std::stop_token stop);
    [[nodiscard]] Result<void> send(const QByteArray& bytes, Deadline deadline, std::stop_token stop);
    [[nodiscard]] Result<void> closeInput() { return m_process->closeInput(); }
    [[nodiscard]] qint64 bytesSent() const { return m_sent; }
    [[nodiscard]] qint64 bytesReceived() const { return m_received; }

private:
    AgentCall(std::unique_ptr<Process> process, QString node, QString verb);
    [[nodiscard]] Result<void> readSome(Deadline deadline, std::stop_token stop);
    [[nodiscard]] Error endError() const;

    std::unique_ptr<Process> m_process;
    QString m_node, m_verb;
    wire::Decoder m_decoder;
    std::deque<AgentRecord> m_records;
    QByteArray m_beginning; // of stdout, to show when it is no record
    QByteArray m_words;     // of stderr, its end
    std::optional<Chunk> m_end;
    qint64 m_sent = 0, m_received = 0;
};

} // namespace lockstep
