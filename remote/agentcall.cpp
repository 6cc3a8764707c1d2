// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agentcall.h"

#include "core/wire/kinds.h"

#include <utility>

namespace lockstep {

namespace {

constexpr std::size_t kMaxWaitingRecords = 200'000; // a manifest's `need` list at most; more is a broken agent
constexpr qsizetype kShownBytes = 80;
constexpr qsizetype kKeptWords = 4096;

ErrorCode codeOf(const QString& word)
{
    if (word == QLatin1String("busy"))
        return ErrorCode::Busy;
    if (word == QLatin1String("not_found"))
        return ErrorCode::NotFound;
    if (word == QLatin1String("bad_input"))
        return ErrorCode::BadInput;
    if (word == QLatin1String("timeout"))
        return ErrorCode::Timeout;
    if (word == QLatin1String("unreachable"))
        return ErrorCode::Unreachable;
    if (word == QLatin1String("stopped"))
        return ErrorCode::Stopped;
    return ErrorCode::Agent;
}

QString printable(const QByteArray& bytes)
{
    QString text = QString::fromUtf8(bytes.left(kShownBytes)).simplified();
    for (QChar& c : text)
        if (!c.isPrint())
            c = QLatin1Char('?');
    return text;
}

} // namespace

AgentRecord AgentRecord::from(const wire::RecordView& view)
{
    AgentRecord record{std::string(view.kind), view.rank, view.timeUs, {}};
    for (const wire::Field& field : *view.fields)
        record.fields.insert_or_assign(std::string(field.key), field.text());
    return record;
}

QString AgentRecord::text(std::string_view key) const
{
    const auto found = fields.find(key);
    return found == fields.end() ? QString() : QString::fromStdString(found->second);
}

std::optional<qint64> AgentRecord::integer(std::string_view key) const
{
    bool ok = false;
    const qint64 value = text(key).toLongLong(&ok);
    return ok ? std::optional(value) : std::nullopt;
}

Error agentError(const AgentRecord& record, const QString& node)
{
    return {codeOf(record.text("code")), QStringLiteral("%1: %2").arg(node, record.text("text")), node};
}

AgentCall::AgentCall(std::unique_ptr<Process> process, QString node, QString verb)
    : m_process(std::move(process)), m_node(std::move(node)), m_verb(std::move(verb))
{
}

Result<AgentCall> AgentCall::start(Transport& transport, const QByteArray& agent, const QList<QByteArray>& words,
                                   Deadline deadline, std::stop_token stop, Lane lane)
{
    auto process = transport.start(QList<QByteArray>{agent} + words, deadline, stop, lane);
    if (!process)
        return std::unexpected(process.error());
    return AgentCall(std::move(*process), transport.node().name, QString::fromUtf8(words.value(0)));
}

Error AgentCall::endError() const
{
    const QString how = m_end->signal.isEmpty() ? QStringLiteral("exit code %1").arg(m_end->exitCode)
                                                : QStringLiteral("signal %1").arg(QString::fromUtf8(m_end->signal));
    const QString words = printable(m_words.trimmed());
    return {ErrorCode::Agent,
            QStringLiteral("`lockstep-agent %1` on %2 ended with %3%4")
                .arg(m_verb, m_node, how, words.isEmpty() ? QString() : QStringLiteral(": ") + words),
            m_node};
}

Result<void> AgentCall::readSome(Deadline deadline, std::stop_token stop)
{
    auto chunk = m_process->read(deadline, stop);
    if (!chunk)
        return std::unexpected(chunk.error());
    m_received += chunk->out.size() + chunk->err.size();
    m_words = (m_words + chunk->err).right(kKeptWords);
    if (m_beginning.size() < kShownBytes)
        m_beginning += chunk->out.left(kShownBytes - m_beginning.size());
    m_decoder.feed({chunk->out.constData(), static_cast<std::size_t>(chunk->out.size())},
                   [this](const wire::RecordView& view) { m_records.push_back(AgentRecord::from(view)); });
    const auto& counts = m_decoder.counts();
    const bool cutShort = chunk->ended && !m_decoder.pending().empty();
    if (counts.malformed + counts.oversize > 0 || cutShort || m_records.size() > kMaxWaitingRecords)
        return failure(ErrorCode::Protocol,
                       QStringLiteral("%1 answered `lockstep-agent %2` with something that is no record: “%3”")
                           .arg(m_node, m_verb, printable(m_beginning)),
                       m_node);
    if (chunk->ended)
        m_end = std::move(*chunk);
    return {};
}

Result<std::optional<AgentRecord>> AgentCall::next(Deadline deadline, std::stop_token stop)
{
    while (m_records.empty()) {
        if (m_end) {
            if (m_end->exitCode == 0 && m_end->signal.isEmpty())
                return std::nullopt;
            return std::unexpected(endError());
        }
        if (auto read = readSome(deadline, stop); !read)
            return std::unexpected(read.error());
    }
    AgentRecord record = std::move(m_records.front());
    m_records.pop_front();
    if (record.kind == wire::kind::kError)
        return std::unexpected(agentError(record, m_node));
    return record;
}

Result<AgentRecord> AgentCall::expect(std::string_view kind, Deadline deadline, std::stop_token stop)
{
    for (;;) {
        auto record = next(deadline, stop);
        if (!record)
            return std::unexpected(record.error());
        if (!*record)
            return failure(
                ErrorCode::Protocol,
                QStringLiteral("`lockstep-agent %1` on %2 ended without its answer “%3”")
                    .arg(m_verb, m_node, QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size()))),
                m_node);
        if ((*record)->kind == kind)
            return std::move(**record);
    }
}

Result<std::vector<AgentRecord>> AgentCall::all(Deadline deadline, std::stop_token stop)
{
    std::vector<AgentRecord> records;
    for (;;) {
        auto record = next(deadline, stop);
        if (!record)
            return std::unexpected(record.error());
        if (!*record)
            return records;
        records.push_back(std::move(**record));
        if (records.size() > kMaxWaitingRecords)
            return failure(ErrorCode::Protocol,
                           QStringLiteral("`lockstep-agent %1` on %2 does not stop answering").arg(m_verb, m_node),
                           m_node);
    }
}

Result<void> AgentCall::drain(std::stop_token stop)
{
    while (!m_end) {
        auto read = readSome(Deadline::in(std::chrono::milliseconds(0)), stop);
        if (!read && read.error().code == ErrorCode::Timeout)
            break;
        if (!read)
            return read;
    }
    for (const AgentRecord& record : m_records)
        if (record.kind == wire::kind::kError)
            return std::unexpected(agentError(record, m_node));
    return {};
}

Result<void> AgentCall::send(const QByteArray& bytes, Deadline deadline, std::stop_token stop)
{
    m_sent += bytes.size();
    auto written = m_process->write(bytes, deadline, stop);
    if (written)
        return {};
    // The agent closes its input when it refuses something; its words are the cause, the broken pipe only the effect.
    const ErrorCode code = written.error().code;
    if (code == ErrorCode::Stopped || code == ErrorCode::Timeout)
        return written;
    const bool dead = code == ErrorCode::ConnectionLost; // what such a link has not brought yet it never will
    const Deadline words = dead ? Deadline::in(std::chrono::milliseconds(0)) : deadline;
    for (;;) {
        auto record = next(words, stop);
        if (record && *record)
            continue;
        const bool silent = record || record.error().code == ErrorCode::ConnectionLost ||
                            (dead && record.error().code == ErrorCode::Timeout);
        const bool saidWhy = !record && (m_end || !silent);
        return saidWhy ? std::unexpected(record.error()) : written;
    }
}

} // namespace lockstep
