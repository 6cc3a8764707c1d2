// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/trainer/ranks.h"

#include "core/wire/decoder.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QTest>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <cstring>

namespace lockstep::test {

namespace {

constexpr int kMetricDescriptor = 3;

QString metricFile(const QTemporaryDir& folder, int rank)
{
    return folder.filePath(QStringLiteral("metrics.%1").arg(rank));
}

} // namespace

QString trainerProgram()
{
    return QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep-trainer");
}

int freePort()
{
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* name = reinterpret_cast<sockaddr*>(&address);
    if (descriptor < 0 || bind(descriptor, name, size) != 0 || getsockname(descriptor, name, &size) != 0)
        qFatal("no free port on loopback");
    close(descriptor);
    return ntohs(address.sin_port);
}

QStringList quick(const QStringList& more)
{
    return QStringList{"--device", "cpu",     "--threads", "1",       "--data", "synthetic", "--synthetic-samples",
                       "1000",     "--model", "mlp",       "--batch", "16"} +
           more;
}

Ranks::Ranks(int world, const QStringList& options, const std::function<void(Start&)>& adapt)
{
    const QString port = QString::number(freePort());
    for (int rank = 0; rank < std::max(1, world); ++rank) {
        auto process = std::make_unique<QProcess>();
        Start start{rank, options, QProcessEnvironment::systemEnvironment()};
        if (world > 0) {
            start.environment.insert(QStringLiteral("RANK"), QString::number(rank));
            start.environment.insert(QStringLiteral("LOCAL_RANK"), QString::number(rank));
            start.environment.insert(QStringLiteral("WORLD_SIZE"), QString::number(world));
            start.environment.insert(QStringLiteral("LOCAL_WORLD_SIZE"), QString::number(world));
            start.environment.insert(QStringLiteral("MASTER_ADDR"), QStringLiteral("127.0.0.1"));
            start.environment.insert(QStringLiteral("MASTER_PORT"), port);
        }
        if (adapt)
            adapt(start);
        process->setProcessEnvironment(start.environment);
        const QByteArray file = metricFile(m_folder, rank).toLocal8Bit();
        process->setChildProcessModifier([file, most = start.addressSpace] {
            const int descriptor = open(file.constData(), O_WRONLY | O_CREAT | O_APPEND, 0600);
            dup2(descriptor, kMetricDescriptor);
            const rlimit limit{most, most};
            if (most > 0)
                setrlimit(RLIMIT_AS, &limit);
        });
        if (!start.absent)
            process->start(trainerProgram(), start.options);
        m_processes.push_back(std::move(process));
    }
}

Ranks::~Ranks()
{
    for (const auto& process : m_processes) {
        process->kill();
        process->waitForFinished();
    }
}

bool Ranks::finish(int deadlineMs)
{
    const QDeadlineTimer deadline(deadlineMs);
    for (const auto& process : m_processes) {
        const auto left = static_cast<int>(std::max<qint64>(1, deadline.remainingTime()));
        if (process->state() != QProcess::NotRunning && !process->waitForFinished(left))
            return false;
    }
    return true;
}

int Ranks::exitCode(int rank)
{
    QProcess& own = process(rank);
    return own.state() == QProcess::NotRunning && own.exitStatus() == QProcess::NormalExit ? own.exitCode() : -1;
}

QByteArray Ranks::metricBytes(int rank) const
{
    QFile file(metricFile(m_folder, rank));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::vector<Record> Ranks::records(int rank, const std::string& kind) const
{
    std::vector<Record> found;
    const QByteArray bytes = metricBytes(rank);
    wire::Decoder decoder;
    decoder.feed({bytes.constData(), static_cast<std::size_t>(bytes.size())}, [&](const wire::RecordView& view) {
        if (view.kind != kind)
            return;
        Record record{{"kind", std::string(view.kind)}, {"rank", std::to_string(view.rank)}};
        for (const wire::Field& field : *view.fields)
            record[std::string(field.key)] = field.text();
        found.push_back(std::move(record));
    });
    if (decoder.counts().malformed + decoder.counts().oversize > 0)
        qFatal("rank %d wrote lines that are no records", rank);
    return found;
}

std::string Ranks::fact(int rank, const std::string& key) const
{
    for (const Record& record : records(rank, "info")) {
        if (const auto found = record.find(key); found != record.end())
            return found->second;
    }
    return {};
}

std::vector<float> floats(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray bytes = file.readAll();
    std::vector<float> values(static_cast<std::size_t>(bytes.size()) / sizeof(float));
    std::memcpy(values.data(), bytes.constData(), values.size() * sizeof(float));
    return values;
}

double relativeDistance(const std::vector<float>& a, const std::vector<float>& b) // L2
{
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += std::pow(double(a[i]) - double(b[i]), 2);
        size += std::pow(double(b[i]), 2);
    }
    return std::sqrt(difference / size);
}

} // namespace lockstep::test
