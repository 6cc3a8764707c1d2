// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/torchfetch.h"

#include "core/wire/encoder.h"
#include "remote/agentcall.h"

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kStartTime = 40s;
constexpr auto kSilence = 60s; // the agent says something each second, and has its own deadlines for pip

QByteArray orderText(const BundleAbout& about)
{
    std::string text;
    wire::Encoder encoder(text);
    encoder.begin("fetch", wire::kNode, 0)
        .field("version", about.torch.toStdString())
        .field("bytes", about.cudaBytes)
        .end();
    for (const QString& package : about.packages)
        encoder.begin("package", wire::kNode, 0).field("spec", package.toStdString()).end();
    encoder.begin("end", wire::kNode, 0).end();
    return QByteArray::fromStdString(text);
}

QString gigabytes(qint64 bytes)
{
    return QString::number(static_cast<double>(bytes) / 1e9, 'f', 1);
}

} // namespace

Result<QByteArray> fetchTorch(const NodeLink& link, const BundleAbout& about,
                              const std::function<void(const QString&)>& progressed, std::stop_token stop)
{
    const QString& node = link.transport->node().name;
    auto call = AgentCall::start(*link.transport, link.agent.path, {"fetch-torch"}, Deadline::in(kStartTime), stop);
    if (!call)
        return std::unexpected(call.error());
    if (auto sent = call->send(orderText(about), Deadline::in(kStartTime), stop); !sent)
        return std::unexpected(sent.error());
    for (;;) {
        auto answer = call->next(Deadline::in(kSilence), stop);
        if (!answer)
            return std::unexpected(answer.error());
        if (!*answer)
            return failure(ErrorCode::Protocol,
                           QStringLiteral("%1 ended the fetching of torch without a word").arg(node), node);
        if ((*answer)->kind == "progress")
            progressed(QStringLiteral("fetching torch with pip: %1 of about %2 GB")
                           .arg(gigabytes((*answer)->integer("bytes").value_or(0)), gigabytes(about.cudaBytes)));
        if ((*answer)->kind == "done")
            return QByteArray::fromStdString((*answer)->fields["path"]);
    }
}

} // namespace lockstep
