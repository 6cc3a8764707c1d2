// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/relay.h"

#include "core/nodeaddress.h"
#include "core/wire/encoder.h"
#include "remote/agentcall.h"
#include "remote/eachnode.h"

#include <QCryptographicHash>
#include <QFile>
#include <QHash>
#include <QRandomGenerator>

#include <variant>

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kStartTime = 40s;
constexpr auto kSilence = 60s; // the receiving agent says something every second

using Sums = QHash<QByteArray, QByteArray>; // content -> SHA-256 of its frame

Result<Sums> frameSums(const Program& program)
{
    Sums sums;
    for (const BundleFile& file : program.bundle.files) {
        if (sums.contains(file.hash))
            continue;
        const auto frame = program.contents->get(file.hash);
        if (!frame)
            return std::unexpected(frame.error());
        QFile open(frame->path);
        QCryptographicHash hash(QCryptographicHash::Sha256);
        if (!open.open(QIODevice::ReadOnly) || !hash.addData(&open))
            return failure(ErrorCode::Io, QStringLiteral("%1 cannot be read").arg(frame->path));
        sums.insert(file.hash, hash.result().toHex());
    }
    return sums;
}

QByteArray newToken()
{
    QByteArray token;
    for (int i = 0; i < 4; ++i)
        token += QByteArray::number(QRandomGenerator::system()->generate64(), 16).rightJustified(16, '0');
    return token;
}

// Addresses of `source` in a subnet that `target` is in too, fastest first.
QStringList sharedAddresses(const NodeFacts& source, const NodeFacts& target)
{
    QList<NodeAddress> found;
    for (const NodeAddress& ours : addressesOf(source))
        for (const NodeAddress& theirs : addressesOf(target))
            if (ours.leftOut.isEmpty() && theirs.leftOut.isEmpty() && ours.subnet() == theirs.subnet() &&
                ours.text != theirs.text)
                found.append(ours);
    std::stable_sort(found.begin(), found.end(), [](const NodeAddress& left, const NodeAddress& right) {
        return left.speedMbps > right.speedMbps;
    });
    QStringList addresses;
    for (const NodeAddress& address : std::as_const(found))
        if (!addresses.contains(address.text))
            addresses.append(address.text);
    return addresses;
}

std::string line(std::string_view kind, std::initializer_list<std::pair<std::string_view, std::string>> fields)
{
    std::string text;
    wire::Encoder encoder(text);
    encoder.begin(kind, wire::kNode, 0);
    for (const auto& [key, value] : fields)
        encoder.field(key, value);
    encoder.end();
    return text;
}

class Pass { // from one node to one other
public:
    Pass(const NodeLink& source, NodeLink& target, const Program& program, const Sums& sums, std::stop_token stop)
        : m_source(source), m_target(target), m_program(program), m_sums(sums), m_stop(std::move(stop))
    {
    }

    Result<Deployed> run(const QString& address)
    {
        const auto start = std::chrono::steady_clock::now();
        auto serve = AgentCall::start(*m_source.transport, m_source.agent.path, {"serve", address.toLatin1()},
                                      Deadline::in(kStartTime), m_stop);
        if (!serve)
            return std::unexpected(serve.error());
        const auto port = serve->expect("port", Deadline::in(kStartTime), m_stop);
        if (!port)
            return std::unexpected(port.error());
        const QByteArray token = newToken();
        if (auto sent = send(*serve, line("allow", {{"token", token.toStdString()}})); !sent)
            return std::unexpected(sent.error());
        auto deployed = receive(line("from", {{"addr", address.toStdString()},
                                              {"port", port->text("port").toStdString()},
                                              {"token", token.toStdString()}}));
        if (deployed)
            deployed->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return deployed;
    }

private:
    [[nodiscard]] Result<void> send(AgentCall& call, const std::string& text) const
    {
        return call.send(QByteArray::fromStdString(text), Deadline::in(kStartTime), m_stop);
    }

    Result<Deployed> receive(const std::string& from)
    {
        auto call = AgentCall::start(*m_target.transport, m_target.agent.path, {"receive", m_program.bundle.hash},
                                     Deadline::in(kStartTime), m_stop);
        if (!call)
            return std::unexpected(call.error());
        if (auto sent = send(*call, m_program.bundle.manifest(newToken().left(32), Bundle::Frames::Keep).toStdString());
            !sent)
            return std::unexpected(sent.error());
        std::string order;
        Deployed deployed;
        for (;;) {
            auto answer = call->next(Deadline::in(kSilence), m_stop);
            if (!answer)
                return std::unexpected(answer.error());
            if (!*answer || (*answer)->kind == "end")
                break;
            if ((*answer)->kind != "need")
                continue;
            const QByteArray hash = (*answer)->text("hash").toLatin1();
            const auto frame = m_program.contents->get(hash);
            if (!frame)
                return std::unexpected(frame.error());
            order += line("frame", {{"hash", hash.toStdString()},
                                    {"bytes", std::to_string(frame->bytes)},
                                    {"sha256", m_sums.value(hash).toStdString()}});
            ++deployed.filesSent;
        }
        if (!order.empty())
            order = from + order;
        if (auto sent = send(*call, order + line("end", {})); !sent)
            return std::unexpected(sent.error());
        auto done = call->expect("done", Deadline::in(kSilence), m_stop);
        if (!done)
            return std::unexpected(done.error());
        deployed.path = QByteArray::fromStdString(done->fields["path"]);
        deployed.bytesSent = call->bytesSent();
        deployed.bytesReceived = call->bytesReceived();
        return deployed;
    }

    const NodeLink& m_source;
    NodeLink& m_target;
    const Program& m_program;
    const Sums& m_sums;
    std::stop_token m_stop;
};

} // namespace

void relayBundle(std::vector<RelayNode>& nodes, const Program& program,
                 const std::function<void(std::size_t, const QString&)>& progressed, std::stop_token stop)
{
    if (nodes.size() < 2)
        return;
    const auto sums = frameSums(program);
    const auto first = sums ? deployBundle(*nodes[0].link,
                                           {program.bundle, *program.contents, program.agent,
                                            [&](const DeployProgress& progress) { progressed(0, progress.words()); },
                                            Bundle::Frames::Keep},
                                           stop)
                            : Result<Deployed>(std::unexpected(sums.error()));
    if (!first)
        return; // every node is sent to, and says why not
    nodes[0].deployed = *first;
    std::vector<std::size_t> having{0}, waiting;
    for (std::size_t i = 1; i < nodes.size(); ++i)
        waiting.push_back(i);
    while (!waiting.empty() && !stop.stop_requested()) {
        const std::size_t pairs = std::min(having.size(), waiting.size());
        (void)onEachNode<std::monostate>(
            pairs, stop, [&](std::size_t p, std::stop_token step) -> Result<std::monostate> {
                RelayNode& source = nodes[having[p]];
                RelayNode& target = nodes[waiting[p]];
                for (const QString& address : sharedAddresses(source.facts, target.facts)) {
                    progressed(waiting[p],
                               QStringLiteral("taking the bundle from %1").arg(source.link->transport->node().name));
                    if (auto deployed = Pass(*source.link, *target.link, program, *sums, step).run(address)) {
                        target.deployed = *deployed;
                        target.passedOn = true;
                        break;
                    }
                }
                return std::monostate();
            });
        for (std::size_t p = 0; p < pairs; ++p)
            if (nodes[waiting[p]].deployed)
                having.push_back(waiting[p]);
        waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(pairs));
    }
    (void)onEachNode<std::monostate>(
        having.size(), stop, [&](std::size_t i, std::stop_token step) -> Result<std::monostate> {
            const NodeLink& link = *nodes[having[i]].link;
            (void)link.transport->run({link.agent.path, "forget", "frames"}, {}, Deadline::in(kStartTime), step);
            return std::monostate();
        });
}

} // namespace lockstep
