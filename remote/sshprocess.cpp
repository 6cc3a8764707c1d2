// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshprocess.h"

#include "remote/argv.h"
#include "remote/iothread.h"

#include <QRandomGenerator>

namespace lockstep {

namespace {

QByteArray newMarker()
{
    std::array<quint32, 4> words{};
    QRandomGenerator::global()->fillRange(words.data(), static_cast<qsizetype>(words.size()));
    return "lockstep-" + QByteArray(reinterpret_cast<const char*>(words.data()), sizeof words).toHex();
}

} // namespace

SshProcess::SshProcess(IoThread& io, std::shared_ptr<SshChannel> channel) : m_io(io), m_channel(std::move(channel)) {}

SshProcess::~SshProcess()
{
    // The last owner must be the I/O thread.
    m_io.post([channel = std::move(m_channel)] { channel->drop(); });
}

template <typename T, typename Ask>
T SshProcess::wait(Deadline deadline, const std::stop_token& stop, Ask ask)
{
    std::promise<T> promise;
    auto future = promise.get_future();
    m_io.post([channel = m_channel, ask, kept = std::make_shared<std::promise<T>>(std::move(promise))] {
        ask(*channel, std::move(*kept));
    });
    return await(future, deadline, stop,
                 [this](ErrorCode code) { m_io.post([channel = m_channel, code] { channel->giveUp(code); }); });
}

Result<std::unique_ptr<Process>> SshProcess::start(IoThread& io, std::shared_ptr<SshSession> session,
                                                   const QList<QByteArray>& argv, Deadline deadline,
                                                   const std::stop_token& stop)
{
    const QString node = session->node(); // never changes
    if (auto checked = checkArgv(argv, node); !checked)
        return std::unexpected(checked.error());
    const QByteArray marker = newMarker();
    const QByteArray command = loginShellCommand(argv, marker);
    if (command.size() > kArgumentBytes)
        return failure(
            ErrorCode::BadInput,
            QStringLiteral("The arguments of %1 for %2 have %3 bytes on their way through the login shell there, "
                           "which takes at most %4. Send them as input.")
                .arg(QString::fromUtf8(argv.first()), node)
                .arg(command.size())
                .arg(kArgumentBytes),
            node);
    SshChannel::Started started;
    auto future = started.get_future();
    std::unique_ptr<SshProcess> process(new SshProcess(io, io.ask([&] {
        auto channel =
            std::make_shared<SshChannel>(session, command, marker, QString::fromUtf8(argv.first()), std::move(started));
        session->add(channel);
        return channel;
    })));
    const auto begun = await(future, deadline, stop, [&io, channel = process->m_channel](ErrorCode code) {
        io.post([channel, code] { channel->giveUp(code); });
    });
    if (!begun)
        return std::unexpected(begun.error());
    return process;
}

Result<Chunk> SshProcess::read(Deadline deadline, std::stop_token stop)
{
    return wait<Result<Chunk>>(deadline, stop,
                               [](SshChannel& channel, SshChannel::Read answer) { channel.read(std::move(answer)); });
}

Result<void> SshProcess::write(const QByteArray& bytes, Deadline deadline, std::stop_token stop)
{
    return wait<Result<void>>(deadline, stop, [bytes](SshChannel& channel, SshChannel::Written answer) {
        channel.write(bytes, std::move(answer));
    });
}

void SshProcess::queueInput(const QByteArray& bytes)
{
    m_io.post([channel = m_channel, bytes] { channel->queueInput(bytes); });
}

Result<void> SshProcess::closeInput()
{
    m_io.post([channel = m_channel] { channel->closeInput(); });
    return {};
}

} // namespace lockstep
