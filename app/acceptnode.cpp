// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/acceptnode.h"

#include "app/answer.h"
#include "app/jsonvalues.h"
#include "app/livecommands.h"
#include "app/texttable.h"
#include "remote/eachnode.h"
#include "remote/nodecheck.h"

namespace lockstep {
namespace {

struct ShownKeys {
    QList<NodeState> unknown;
    QList<NodeState> untrusted; // no key was seen, or a changed one; of the others the key is known
};

bool isHostKeyTrusted(NodePhase phase)
{
    return phase == NodePhase::Ready || phase == NodePhase::AuthFailed || phase == NodePhase::NeedsPassphrase;
}

// What these nodes show; those whose key is not to be accepted are said.
ShownKeys shownKeys(const Desk& desk, const QList<Node>& nodes)
{
    const auto states = onEachNode<NodeState>(
        static_cast<std::size_t>(nodes.size()), {}, [&](std::size_t i, std::stop_token stop) -> Result<NodeState> {
            return checkNode(desk.parts, nodes[static_cast<qsizetype>(i)], std::move(stop));
        });
    ShownKeys shown;
    for (const NodeState& state : *states) {
        if (state.phase == NodePhase::UnknownHostKey && state.hostKey) {
            shown.unknown += state;
            continue;
        }
        note(QStringLiteral("%1: %2").arg(state.node.name, state.sentence));
        if (!isHostKeyTrusted(state.phase))
            shown.untrusted += state;
    }
    return shown;
}

Result<void> askedOnce(const Desk& desk, const QList<NodeState>& unknown)
{
    QList<QStringList> rows;
    for (const NodeState& state : unknown)
        rows << QStringList{state.node.name, state.hostKey->type, state.hostKey->fingerprint};
    note(textTable({"node", "type", "host key"}, rows).trimmed());
    if (!desk.questions)
        return failure(
            ErrorCode::HostKeyUnknown,
            QStringLiteral("There is no terminal to ask on: compare a key with the machine's own and name it "
                           "with --fingerprint."));
    SignInQuestion question;
    question.kind = SignInQuestion::Kind::Prompt;
    question.node = QStringLiteral("Lockstep");
    question.whom = QStringLiteral("you");
    question.words = QStringLiteral("accept these %1 keys, which you have compared? Type yes").arg(unknown.size());
    question.echo = SignInQuestion::Echo::Shown;
    const auto answer = desk.questions->ask(question, {});
    if (!answer || QByteArray(answer->text()) != "yes")
        return failure(ErrorCode::Stopped, QStringLiteral("No key was accepted."));
    return {};
}

} // namespace

int acceptNode(const Options& options, const Desk& desk)
{
    const auto nodes = selectNodes(options.selection(), desk);
    if (!nodes)
        return leave(nodes.error(), options.output);
    QList<std::pair<Node, QString>> keys;
    QJsonArray array;
    bool all = true;
    if (!options.fingerprint.isEmpty()) {
        for (const Node& node : *nodes)
            keys.append({node, options.fingerprint});
    } else {
        const ShownKeys shown = shownKeys(desk, *nodes);
        all = shown.untrusted.isEmpty();
        for (const NodeState& state : shown.untrusted)
            array << QJsonObject{
                {"node", state.node.name},
                {"error", QJsonObject{{"code", QLatin1String(toString(state.phase))}, {"text", state.sentence}}}};
        if (!shown.unknown.isEmpty())
            if (auto asked = askedOnce(desk, shown.unknown); !asked)
                return leave(asked.error(), options.output);
        for (const NodeState& state : shown.unknown)
            keys.append({state.node, state.hostKey->fingerprint});
    }
    for (const auto& [node, fingerprint] : keys) {
        const auto accepted = desk.acceptHostKey(node, fingerprint);
        if (!accepted && keys.size() == 1)
            return leave(accepted.error(), options.output);
        if (!accepted) { // the others are accepted all the same
            note(accepted.error().text);
            array << failedNode(node.name, accepted.error());
            all = false;
            continue;
        }
        array << QJsonObject{{"node", node.name}, {"fingerprint", fingerprint}};
        note(QStringLiteral("%1: its host key %2 is known now.").arg(node.name, fingerprint));
    }
    if (options.output == Output::Json)
        printJson(array);
    return all ? kExitDone : kExitFailed;
}

} // namespace lockstep
