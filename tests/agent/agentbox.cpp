// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/agent/agentbox.h"

#include "core/wire/decoder.h"
#include "core/wire/encoder.h"

#include <QFile>
#include <QProcessEnvironment>

#include <zstd.h>

using namespace lockstep;

namespace {

constexpr int kVerbMs = 60'000;
constexpr qsizetype kPieceBytes = 12'000; // of a value in one record of a job

std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), std::size_t(bytes.size())};
}

void appendValue(std::string& text, std::string_view kind, int rank, const QByteArray* name, const QByteArray& value)
{
    for (qsizetype at = 0; at == 0 || at < value.size(); at += kPieceBytes) {
        wire::Encoder encoder(text);
        encoder.begin(kind, rank, 0);
        if (name != nullptr && at == 0)
            encoder.field("name", view(*name));
        encoder.field(at == 0 ? "v" : "more", view(value).substr(std::size_t(at), kPieceBytes)).end();
    }
}

QByteArray decompressed(const QByteArray& frame)
{
    const auto size = ZSTD_getFrameContentSize(frame.constData(), std::size_t(frame.size()));
    QByteArray bytes(qsizetype(size), '\0');
    const std::size_t got =
        ZSTD_decompress(bytes.data(), std::size_t(bytes.size()), frame.constData(), std::size_t(frame.size()));
    return got == std::size_t(bytes.size()) ? bytes : QByteArray("damaged frame");
}

} // namespace

QList<AgentRecord> recordsOf(const QByteArray& bytes)
{
    QList<AgentRecord> records;
    wire::Decoder decoder;
    decoder.feed(view(bytes), [&](const wire::RecordView& record) {
        AgentRecord copy{QByteArray(record.kind.data(), qsizetype(record.kind.size())), record.rank, record.timeUs, {}};
        for (const wire::Field& field : *record.fields)
            copy.fields[QByteArray(field.key.data(), qsizetype(field.key.size()))] =
                QByteArray::fromStdString(field.text());
        records.append(copy);
    });
    return records;
}

QList<AgentRecord> ofKind(const QList<AgentRecord>& records, const char* kind)
{
    QList<AgentRecord> found;
    for (const AgentRecord& record : records)
        if (record.kind == kind)
            found.append(record);
    return found;
}

QList<AgentRecord> phases(const QList<AgentRecord>& records, int rank, const char* phase)
{
    QList<AgentRecord> found;
    for (const AgentRecord& record : records)
        if (record.kind == "phase" && record.rank == rank && record["phase"] == phase)
            found.append(record);
    return found;
}

QByteArray TestJob::text() const
{
    std::string text;
    wire::Encoder encoder(text);
    encoder.begin("job", -1, 0)
        .field("run", view(run))
        .field("attempt", attempt)
        .field("node", "test")
        .field("grace", graceS)
        .field("cwd", view(cwd))
        .field("hold", holdS);
    if (segmentBytes > 0)
        encoder.field("segment", segmentBytes);
    if (shareDevices)
        encoder.field("share_devices", 1);
    encoder.end();
    for (int rank = 0; rank < ranks.size(); ++rank) {
        encoder.begin("rank", rank, 0).field("local", rank);
        if (!ranks[rank].cpus.isEmpty())
            encoder.field("cpus", view(ranks[rank].cpus));
        encoder.end();
        for (const QByteArray& argument : ranks[rank].argv)
            appendValue(text, "arg", rank, nullptr, argument);
        for (const auto& [name, value] : ranks[rank].env)
            appendValue(text, "env", rank, &name, value);
    }
    wire::Encoder(text).begin("end", -1, 0).end();
    return QByteArray::fromStdString(text);
}

TestRank shellRank(const QByteArray& script)
{
    return {{"/bin/sh", "-c", script}, {}, {}};
}

TestRank probeRank(const QList<QByteArray>& words)
{
    return {QList<QByteArray>{RANKPROBE_PROGRAM} + words, {}, {}};
}

AgentBox::AgentBox()
{
    if (!m_folder.isValid())
        qFatal("no temporary folder");
}

AgentBox::~AgentBox()
{
    for (const AgentRecord& run : verb({"list"}).records)
        (void)verb({"stop", QString::fromUtf8(run["run"]), "--grace", "0"});
}

std::unique_ptr<QProcess> AgentBox::start(const QStringList& words) const
{
    auto process = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LOCKSTEP_RUNS_DIR", path("runs"));
    environment.insert("LOCKSTEP_CACHE_DIR", path("cache"));
    process->setProcessEnvironment(environment);
    process->start(LOCKSTEP_BIN_DIR "/lockstep-agent", words);
    if (!process->waitForStarted(kVerbMs))
        qFatal("the agent does not start");
    return process;
}

AgentAnswer AgentBox::verb(const QStringList& words, const QByteArray& input) const
{
    const auto process = start(words);
    process->write(input);
    process->closeWriteChannel();
    AgentAnswer answer;
    if (!process->waitForFinished(kVerbMs))
        qWarning("the verb %s does not end", qPrintable(words.join(' ')));
    answer.out = process->readAllStandardOutput();
    answer.err = process->readAllStandardError();
    answer.exitCode = process->exitStatus() == QProcess::NormalExit ? process->exitCode() : -2;
    answer.records = recordsOf(answer.out);
    return answer;
}

AgentAnswer AgentBox::launch(const TestJob& job) const
{
    return verb({"launch", QString::fromUtf8(job.run)}, job.text() + "go - 0\n");
}

AgentAnswer AgentBox::follow(const QByteArray& run, qint64 from) const
{
    const auto process = start({"follow", QString::fromUtf8(run), "--from", QString::number(from)});
    AgentAnswer answer;
    if (!process->waitForFinished(kVerbMs))
        qWarning("follow does not come to an end");
    answer.out = process->readAllStandardOutput();
    answer.err = process->readAllStandardError();
    answer.exitCode = process->exitCode();
    answer.records = recordsOf(answer.out);
    return answer;
}

AgentRecord AgentBox::listed(const QByteArray& run) const
{
    for (const AgentRecord& record : verb({"list"}).records)
        if (record["run"] == run)
            return record;
    return {};
}

QByteArray AgentBox::spool(const QByteArray& run) const
{
    QByteArray bytes;
    for (int index = 0;; ++index) {
        const QString segment = runFolder(run) + QStringLiteral("/spool.%1").arg(index, 6, 10, QLatin1Char('0'));
        if (QFile::exists(segment))
            bytes += contentOf(segment);
        else if (QFile::exists(segment + ".zst"))
            bytes += decompressed(contentOf(segment + ".zst"));
        else
            return bytes;
    }
}

bool AgentBox::isRunning(qint64 pid)
{
    const QByteArray stat = contentOf(QStringLiteral("/proc/%1/stat").arg(pid));
    const qsizetype name = stat.lastIndexOf(')');
    return name > 0 && stat.size() > name + 2 && stat[name + 2] != 'Z' && stat[name + 2] != 'X';
}

QList<qint64> AgentBox::pidsIn(const QString& file)
{
    QList<qint64> pids;
    for (const QByteArray& line : contentOf(file).split('\n'))
        if (line.toLongLong() > 0)
            pids.append(line.toLongLong());
    return pids;
}

QByteArray AgentBox::contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}
