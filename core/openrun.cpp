// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runstore.h"

namespace lockstep {
namespace {

constexpr qint64 kPieceBytes = 4LL << 20;

} // namespace

Result<void> openRun(RunStore& store, const QString& id, RunData& data)
{
    const Result<RunSpec> spec = store.spec(id);
    if (!spec)
        return std::unexpected(spec.error());
    const Result<LaunchPlan> plan = store.plan(id);
    if (!plan)
        return std::unexpected(plan.error());
    const Result<RunState> state = store.state(id);
    if (!state)
        return std::unexpected(state.error());
    data.setPlan(*spec, *plan);
    data.setState(*state);
    for (int i = 0; i < plan->nodes.size(); ++i) {
        RunDecoder decoder(i, i < state->nodes.size() ? state->nodes[i].clockOffsetUs : 0);
        decoder.setStartWallUs(startOf(*state));
        decoder.begin(0, store.clocks(id, plan->nodes[i].name));
        for (qint64 offset = 0;;) {
            const Result<QByteArray> bytes = store.readSpool(id, plan->nodes[i].name, offset, kPieceBytes);
            if (!bytes)
                return std::unexpected(bytes.error());
            if (bytes->isEmpty())
                break;
            offset += bytes->size();
            data.apply(decoder.feed({bytes->constData(), static_cast<std::size_t>(bytes->size())}));
        }
    }
    return {};
}

QStringList lackingIn(RunStore& store, const RunData& data)
{
    QStringList lacking;
    for (const NodeRunState& node : data.state().nodes) {
        const qint64 here = store.spoolSize(data.state().id, node.name).value_or(0);
        if (here < node.spoolBytes)
            lacking << QStringLiteral("%1 of %2 bytes of %3's records are no longer on this machine.")
                           .arg(node.spoolBytes - here)
                           .arg(node.spoolBytes)
                           .arg(node.name);
    }
    if (data.malformed() > 0)
        lacking << QStringLiteral("%1 lines of the records are damaged and left out.").arg(data.malformed());
    return lacking;
}

qint64 startOf(const RunState& state)
{
    return state.startedWallUs != 0 ? state.startedWallUs : state.createdWallUs;
}

} // namespace lockstep
