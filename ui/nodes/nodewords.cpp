// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/nodewords.h"

#include "core/nodehealth.h"
#include "ui/plots/figures.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {

QString orElse(const QString& sentence, const char* usual)
{
    return sentence.isEmpty() ? QString::fromUtf8(usual) : sentence;
}

} // namespace

StateWords stateWords(const NodeState& state, const QString& run)
{
    switch (state.phase) {
    case NodePhase::Unknown:
        return {Icon::Wait, Tone::Text2, orElse(state.sentence, "not checked yet"), QStringLiteral("Check")};
    case NodePhase::Connecting:
        return {Icon::Connect, Tone::Text2, orElse(state.sentence, "connecting …"), {}};
    case NodePhase::Ready:
        if (!run.isEmpty())
            return {Icon::Run, Tone::Running, QStringLiteral("ready, runs %1").arg(run), {}};
        return {Icon::Ok, Tone::Ok, orElse(state.sentence, "ready"), {}};
    case NodePhase::UnknownHostKey:
        return {Icon::Key, Tone::Warn, orElse(state.sentence, "unknown host key"), QStringLiteral("Accept…")};
    case NodePhase::HostKeyChanged:
        return {Icon::Bad, Tone::Bad, orElse(state.sentence, "host key changed, refused"), QStringLiteral("See why")};
    case NodePhase::NeedsPassphrase:
        return {Icon::Lock, Tone::Warn, orElse(state.sentence, "its key needs a passphrase"),
                QStringLiteral("Unlock…")};
    case NodePhase::AuthFailed:
        return {Icon::Bad, Tone::Bad, orElse(state.sentence, "refused the key"), QStringLiteral("See why")};
    case NodePhase::Unreachable:
        return {Icon::Unreach, Tone::Bad, orElse(state.sentence, "unreachable"), QStringLiteral("Try again")};
    case NodePhase::Failed:
        return {Icon::Bad, Tone::Bad, orElse(state.sentence, "failed"), QStringLiteral("Try again")};
    }
    return {};
}

StateWords askOf(const NodeState& state)
{
    StateWords words = stateWords(state, {});
    const QString name = state.node.name;
    switch (state.phase) {
    case NodePhase::Unknown:
    case NodePhase::Connecting:
    case NodePhase::Ready:
        return {};
    case NodePhase::UnknownHostKey:
        words.words = QStringLiteral("%1: accept its key?").arg(name);
        return words;
    case NodePhase::HostKeyChanged:
        words.words = QStringLiteral("%1: host key changed").arg(name);
        return words;
    case NodePhase::NeedsPassphrase:
        words.words = QStringLiteral("%1: passphrase").arg(name);
        return words;
    case NodePhase::AuthFailed:
        words.words = QStringLiteral("%1: refused the key").arg(name);
        return words;
    case NodePhase::Unreachable:
    case NodePhase::Failed:
        words.words = QStringLiteral("%1: %2").arg(name, words.words);
        return words;
    }
    return {};
}

QString runOn(const RunList& runs, const QString& node)
{
    for (const QString& id : runs.open()) {
        const RunData* data = runs.data(id);
        if (!data || isOver(data->state().phase))
            continue;
        const RunState& state = data->state();
        if (std::ranges::any_of(state.nodes, [&](const NodeRunState& each) { return each.name == node; }))
            return QStringLiteral("%1 #%2").arg(state.name).arg(state.number);
    }
    return {};
}

QString addressText(const Node& node)
{
    if (node.local)
        return QStringLiteral("local");
    const QString address = node.address.text();
    return node.jump.isEmpty() ? address
                               : QStringLiteral("%1 via %2").arg(address, node.jump.join(QStringLiteral(", ")));
}

QString shortDeviceName(const QString& name)
{
    QString text = name;
    for (const char* maker : {"NVIDIA ", "GeForce ", "Tesla ", "AMD ", "Radeon Instinct "})
        text.remove(QLatin1String(maker));
    const qsizetype hbm = text.indexOf(QLatin1String(" HBM"));
    if (hbm > 0)
        text.truncate(hbm);
    return text.trimmed();
}

QString devicesText(const NodeFacts& facts)
{
    if (facts.devices.isEmpty())
        return QStringLiteral("CPU, %1 cores").arg(facts.cores);
    // "H100", not "H100 80GB": memory stands in the details.
    return QStringLiteral("%1 × %2")
        .arg(facts.devices.size())
        .arg(shortDeviceName(facts.devices.first().name).section(QLatin1Char(' '), 0, 0));
}

QString clockText(const NodeState& state)
{
    if (!state.clockOffsetMs || state.node.local || state.phase != NodePhase::Ready)
        return QStringLiteral("–");
    const double offset = *state.clockOffsetMs;
    const QString sign = offset >= 0 ? QStringLiteral("+") : QString();
    if (std::abs(offset) >= 1000)
        return sign + figures::decimal(offset / 1000, 1) + QStringLiteral(" s");
    return sign + figures::decimal(offset, 1) + QStringLiteral(" ms");
}

bool isClockApart(const NodeState& state)
{
    return state.clockOffsetMs && !state.node.local &&
           std::abs(*state.clockOffsetMs) - state.clockErrorMs > kClockWarningMs;
}

QString driverText(const NodeState& state)
{
    if (!state.facts || state.facts->driver.isEmpty())
        return QStringLiteral("–");
    const QString cuda = state.facts->cuda.isEmpty() ? QStringLiteral("–") : state.facts->cuda;
    return QStringLiteral("%1 / %2").arg(cuda, state.facts->driver.section(QLatin1Char('.'), 0, 1));
}

QString interfaceUse(const NetInterface& interface)
{
    if (interface.loopback)
        return QStringLiteral("loopback, this node only");
    for (const char* bridge : {"docker", "virbr", "br-", "cni", "podman", "veth"})
        if (interface.name.startsWith(QLatin1String(bridge)))
            return QStringLiteral("own bridge, not used");
    return interface.up ? QStringLiteral("up") : QStringLiteral("down");
}

const CoreSample* sampleOf(const NodeState& state, const QString& id)
{
    const auto found = std::ranges::find(state.samples, id, &CoreSample::id);
    return found == state.samples.end() ? nullptr : &*found;
}

} // namespace lockstep::ui
