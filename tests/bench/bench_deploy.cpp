// SPDX-License-Identifier: GPL-3.0-or-later
// bench_deploy FOLDER [NODES]: bytes and seconds of the first deploy of a bundle to NODES made nodes on this machine,
// of a second one of the unchanged bundle, and of reading the unchanged bundle; beside them `cp -r` of the same folder.
#include "remote/deployer.h"
#include "remote/eachnode.h"
#include "remote/nodelink.h"
#include "tests/remote/madenodes.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>

#include <cstdio>

using namespace lockstep;
using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

template <typename T>
T orEnd(Result<T> result)
{
    if (!result)
        qFatal("%s", qPrintable(result.error().text));
    return std::move(*result);
}

void deployEverywhere(const char* what, const RunParts& parts, const QList<Node>& nodes, const QString& folder)
{
    QElapsedTimer clock;
    clock.start();
    const Bundle bundle = orEnd(Bundle::read(folder, parts.cacheFolder));
    const double readS = static_cast<double>(clock.nsecsElapsed()) / 1e9;
    const CompressedContents contents(bundle, parts.cacheFolder, {});
    const AgentFile agent = orEnd(AgentFile::load(parts.agentFile));
    const auto deployed = orEnd(onEachNode<Deployed>(
        static_cast<std::size_t>(nodes.size()), {}, [&](std::size_t i, std::stop_token stop) -> Result<Deployed> {
            auto link = openNode(parts.transports, nodes[static_cast<qsizetype>(i)], agent, stop);
            if (!link)
                return std::unexpected(link.error());
            return deployBundle(*link, {bundle, contents, agent}, stop);
        }));
    const double allS = static_cast<double>(clock.nsecsElapsed()) / 1e9;
    qint64 sent = 0, received = 0;
    for (const Deployed& one : deployed) {
        sent += one.bytesSent;
        received += one.bytesReceived;
    }
    std::printf("%s: %lld files, %.1f MB; read in %.3f s; sent %lld B and received %lld B a node; %.2f s in all\n",
                what, static_cast<long long>(bundle.files.size()), static_cast<double>(bundle.bytes) / 1e6, readS,
                static_cast<long long>(sent / nodes.size()), static_cast<long long>(received / nodes.size()), allS);
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    if (argc < 2) {
        std::fputs("bench_deploy FOLDER [NODES]\n", stderr);
        return 2;
    }
    const QString folder = QString::fromLocal8Bit(argv[1]);
    const int count = argc > 2 ? QByteArray(argv[2]).toInt() : 2;
    const MadeNodes made(std::max(1, count));
    deployEverywhere("first deploy", made.parts(), made.nodes(), folder);
    deployEverywhere("redeploy", made.parts(), made.nodes(), folder);
    QElapsedTimer clock;
    clock.start();
    QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-r"), folder, made.folder() + QStringLiteral("/copy")});
    std::printf("cp -r of the same: %.2f s\n", static_cast<double>(clock.nsecsElapsed()) / 1e9);
    return 0;
}
