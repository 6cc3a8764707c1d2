// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/noderuntime.h"

#include "core/wire/encoder.h"
#include "remote/agentcall.h"
#include "remote/localtransport.h"
#include "remote/torchfetch.h"

#include <QDir>
#include <QFileInfo>

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kAskTime = 40s; // the agent's own search ends after 8 s, after a login shell that takes 5

struct Torches {
    QList<FoundTorch> found;
    bool hasPip = false;
};

Result<Torches> askTorches(Transport& transport, const QByteArray& agent, std::stop_token stop)
{
    auto call = AgentCall::start(transport, agent, {"find-torch"}, Deadline::in(kAskTime), stop);
    if (!call)
        return std::unexpected(call.error());
    const auto records = call->all(Deadline::in(kAskTime), stop);
    if (!records)
        return std::unexpected(records.error());
    Torches torches;
    for (const AgentRecord& record : *records) {
        if (record.kind == "pip")
            torches.hasPip = record.integer("found") == 1;
        else if (record.kind == "torch")
            torches.found.append({record.text("path"), record.text("version"), record.text("cuda"), record.text("nccl"),
                                  record.integer("has_cuda") == 1});
    }
    return torches;
}

// A torch of this machine, found as on any node.
QString torchHere(const Program& program, std::stop_token stop)
{
    if (const QString named = qEnvironmentVariable("LOCKSTEP_TORCH"); !named.isEmpty())
        return named;
    Node here;
    here.name = QStringLiteral("this machine");
    here.local = true;
    const auto link = openNode(std::make_shared<LocalTransport>(here), program.agent, stop);
    const auto torches =
        link ? askTorches(*link->transport, link->agent.path, stop) : Result<Torches>(std::unexpected(link.error()));
    const FoundTorch* torch = torches ? fittingTorch(program.about, torches->found) : nullptr;
    return torch ? torch->path : QString();
}

// The libraries of a torch and what names its version, as they lie beside each other in site-packages.
Result<Bundle> torchBundle(const QString& torch, const QString& cacheFolder)
{
    const QDir site = QFileInfo(torch).dir();
    QList<QByteArray> paths{"torch/version.py"};
    QStringList folders{QStringLiteral("torch/lib")};
    for (const QString& name :
         QDir(site.filePath(QStringLiteral("nvidia"))).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
        folders.append(QStringLiteral("nvidia/%1/lib").arg(name));
    for (const QString& folder : std::as_const(folders))
        for (const QString& name : QDir(site.filePath(folder)).entryList({QStringLiteral("lib*.so*")}, QDir::Files))
            paths.append(QFile::encodeName(folder + QLatin1Char('/') + name));
    return Bundle::read(site.path(), paths, cacheFolder);
}

Bundle partFor(const Program& program, const RuntimeChoice& choice, const QByteArray& torch)
{
    if (choice.kind == RuntimeKind::Bundle)
        return program.bundle;
    return program.bundle.beside(torch, program.about.torch.toUtf8(), program.about.cudaFiles);
}

Result<QByteArray> sendTorch(NodeLink& link, const Program& program, const QString& folder,
                             const std::function<void(const QString&)>& progressed, std::stop_token stop)
{
    const auto bundle = torchBundle(folder, program.cacheFolder);
    if (!bundle)
        return std::unexpected(bundle.error());
    const CompressedContents contents(*bundle, program.cacheFolder, stop);
    const auto deployed = deployBundle(
        link,
        {*bundle, contents, program.agent,
         [&](const DeployProgress& progress) { progressed(QStringLiteral("torch: ") + progress.words()); }},
        stop);
    if (!deployed)
        return std::unexpected(deployed.error());
    return deployed->path + "/torch";
}

// Fetched by the node; else, said, sent from here.
Result<QByteArray> getTorch(NodeLink& link, const Program& program, const RuntimeChoice& choice,
                            const std::function<void(const QString&)>& progressed, std::stop_token stop)
{
    if (choice.kind == RuntimeKind::Found)
        return choice.torch.toUtf8();
    if (choice.kind == RuntimeKind::Sent)
        return sendTorch(link, program, choice.torch, progressed, stop);
    auto fetched = fetchTorch(link, program.about, progressed, stop);
    if (fetched || stop.stop_requested())
        return fetched;
    const QString here = torchHere(program, stop);
    if (here.isEmpty())
        return fetched;
    progressed(QStringLiteral("%1 Sending torch from this machine instead").arg(fetched.error().text));
    return sendTorch(link, program, here, progressed, stop);
}

} // namespace

Result<Program> Program::read(const RunParts& parts, std::stop_token stop)
{
    auto about = BundleAbout::load(parts.bundleFolder);
    if (!about)
        return std::unexpected(about.error());
    auto bundle = Bundle::read(parts.bundleFolder, parts.cacheFolder);
    if (!bundle)
        return std::unexpected(bundle.error());
    auto agent = AgentFile::load(parts.agentFile);
    if (!agent)
        return std::unexpected(agent.error());
    auto contents = std::make_shared<const CompressedContents>(*bundle, parts.cacheFolder, std::move(stop));
    return Program{std::move(*bundle), std::move(*about), std::move(contents), parts.cacheFolder, std::move(*agent)};
}

Result<RuntimeChoice> askRuntime(const NodeLink& link, const NodeFacts& facts, const Program& program, DeviceUse use,
                                 std::stop_token stop)
{
    TorchSources sources;
    if (use == DeviceUse::Gpu && !program.about.cudaFiles.isEmpty()) {
        auto torches = askTorches(*link.transport, link.agent.path, stop);
        if (!torches)
            return std::unexpected(torches.error());
        sources.onNode = torches->found;
        sources.nodeHasPip = torches->hasPip;
        if (!fittingTorch(program.about, sources.onNode) && !sources.nodeHasPip)
            sources.onDesktop = torchHere(program, stop);
    }
    return chooseRuntime(program.about, facts, link.transport->node().name, use, sources);
}

QString ToSend::words() const
{
    if (bytes == 0)
        return QStringLiteral("nothing to send");
    const double mb = static_cast<double>(bytes) / 1e6;
    return QStringLiteral("%1%2 MB to send")
        .arg(exact ? QString() : QStringLiteral("up to "), QString::number(mb, 'f', mb < 10 ? 1 : 0));
}

QString runtimeFolder(const Program& program, const RuntimeChoice& choice, const NodeFacts& facts)
{
    if (facts.cacheFolder.isEmpty() || choice.kind == RuntimeKind::Sent || !choice.fits())
        return {};
    const QString torch = choice.kind == RuntimeKind::Fetched
                              ? QStringLiteral("%1/torch/%2/torch").arg(facts.cacheFolder, program.about.torch)
                              : choice.torch;
    return QStringLiteral("%1/bundles/%2")
        .arg(facts.cacheFolder, QString::fromLatin1(partFor(program, choice, torch.toUtf8()).hash));
}

Result<ToSend> askToSend(const NodeLink& link, const Program& program, const RuntimeChoice& choice,
                         std::stop_token stop)
{
    ToSend total;
    // What is there does not depend on the torch, which may not be there yet.
    Bundle part = partFor(program, choice, "/");
    part.torch.clear();
    auto call =
        AgentCall::start(*link.transport, link.agent.path, {"missing", part.hash}, Deadline::in(kAskTime), stop);
    if (!call)
        return std::unexpected(call.error());
    if (auto sent = call->send(part.manifest(), Deadline::in(kAskTime), stop); !sent)
        return std::unexpected(sent.error());
    const auto records = call->all(Deadline::in(kAskTime), stop);
    if (!records)
        return std::unexpected(records.error());
    for (const AgentRecord& record : *records) {
        const QByteArray hash = record.text("hash").toLatin1();
        const auto file =
            std::find_if(part.files.begin(), part.files.end(), [&](const BundleFile& one) { return one.hash == hash; });
        if (record.kind != "need" || file == part.files.end())
            continue;
        const auto compressed = program.contents->sizeOf(hash);
        total.exact = total.exact && compressed;
        total.bytes += std::max<qint64>(0, compressed.value_or(file->size) - record.integer("have").value_or(0));
    }
    if (choice.kind == RuntimeKind::Sent) {
        total.bytes += program.about.cudaBytes;
        total.exact = false;
    }
    return total;
}

Result<Deployed> deployRuntime(NodeLink& link, const Program& program, const RuntimeChoice& choice,
                               const std::function<void(const QString&)>& progressed, std::stop_token stop)
{
    QByteArray torch;
    if (choice.kind != RuntimeKind::Bundle) {
        auto got = getTorch(link, program, choice, progressed, stop);
        if (!got)
            return std::unexpected(got.error());
        torch = *got;
    }
    const Bundle part = partFor(program, choice, torch);
    return deployBundle(
        link,
        {part, *program.contents, program.agent, [&](const DeployProgress& progress) { progressed(progress.words()); }},
        std::move(stop));
}

Result<Deployed> deployFolder(NodeLink& link, const UserFolder& folder, const Program& program,
                              const std::function<void(const QString&)>& progressed, std::stop_token stop)
{
    return deployBundle(link,
                        {folder.bundle, *folder.contents, program.agent,
                         [&](const DeployProgress& progress) {
                             progressed(QStringLiteral("%1: %2").arg(folder.sent.folder, progress.words()));
                         }},
                        std::move(stop));
}

} // namespace lockstep
