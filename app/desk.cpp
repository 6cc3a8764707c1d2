// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desk.h"

#include "remote/sharedtransports.h"
#include "remote/sshconfig.h"
#include "remote/sshtransport.h"

#include <QCoreApplication>
#include <QDir>

namespace lockstep {
namespace {

// A key is accepted in one connection of its own: it must still be the one that was seen.
constexpr std::chrono::seconds kAcceptTime{15};
constexpr std::chrono::seconds kResolveTime{10}; // of `ssh -G`

Result<void> accept(const Node& node, IoThread& io, const SshSettings& settings, const QString& fingerprint)
{
    if (node.local)
        return failure(ErrorCode::BadInput,
                       QStringLiteral("%1 is this machine; it has no host key to accept.").arg(node.name), node.name);
    SshTransport transport(node, io, settings);
    const auto connected = transport.connect(Deadline::in(kAcceptTime), {});
    if (connected)
        return failure(ErrorCode::BadInput,
                       QStringLiteral("The host key of %1 is known already; nothing was added.").arg(node.name),
                       node.name);
    if (connected.error().code != ErrorCode::HostKeyUnknown)
        return connected;
    return transport.acceptHostKey(fingerprint);
}

QStringList unusedOptions(const Node& node, const SshSettings& settings, const std::stop_token& stop)
{
    if (node.local)
        return {};
    const auto host = resolveHost(node.address, settings, node.name, Deadline::in(kResolveTime), stop);
    return host ? host->unused(NotHonoured::Matters::Always) : QStringList(); // the connection has said why
}

} // namespace

QString standardBundleFolder()
{
    const QString named = qEnvironmentVariable("LOCKSTEP_BUNDLE");
    return named.isEmpty() ? QDir::cleanPath(QCoreApplication::applicationDirPath() + QStringLiteral("/../bundle-cpu"))
                           : named;
}

Desk::Desk(DataFolder dataFolder, QuestionBoard* board, SshSettings ssh)
    : folder(std::move(dataFolder)), questions(board), m_io(std::make_unique<IoThread>())
{
    if (board)
        ssh.ask = [board](const SignInQuestion& question, const std::stop_token& stop) {
            return board->ask(question, stop);
        };
    IoThread& io = *m_io;
    parts.transports = sharedTransports(io, ssh);
    parts.agentFile = AgentFile::standardPath();
    parts.bundleFolder = standardBundleFolder();
    parts.cacheFolder = standardCacheFolder();
    acceptHostKey = [&io, ssh](const Node& node, const QString& fingerprint) {
        return accept(node, io, ssh, fingerprint);
    };
    unusedSshOptions = [ssh](const Node& node, const std::stop_token& stop) { return unusedOptions(node, ssh, stop); };
}

} // namespace lockstep
