// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/runtimeplan.h"

#include "remote/eachnode.h"

#include <algorithm>

namespace lockstep {

namespace {

void add(LaunchPlan& plan, const Error& error)
{
    plan.problems.append({Severity::Error, error.node, error.text, {}});
}

} // namespace

DeviceUse deviceUse(const LaunchPlan& plan, int nodeIndex)
{
    const bool gpu = std::any_of(plan.ranks.begin(), plan.ranks.end(), [&](const PlannedRank& rank) {
        return rank.nodeIndex == nodeIndex && rank.device.startsWith(QLatin1String("gpu:"));
    });
    return gpu ? DeviceUse::Gpu : DeviceUse::Cpu;
}

Result<RuntimeRow> askRuntimeRow(const NodeLink& link, const NodeFacts& facts, const Program& program, DeviceUse use,
                                 std::stop_token stop)
{
    auto choice = askRuntime(link, facts, program, use, stop);
    if (!choice)
        return std::unexpected(choice.error());
    RuntimeRow row{std::move(*choice), {}};
    row.shown.value = row.choice.why;
    if (!row.choice.fits())
        return row; // nothing will be sent
    const auto toSend = askToSend(link, program, row.choice, stop);
    if (!toSend)
        return std::unexpected(toSend.error());
    row.shown.source = toSend->words();
    return row;
}

Result<void> planRuntimes(Measured& measured, const RunParts& parts, const RunSpec& spec, std::stop_token stop)
{
    LaunchPlan& plan = measured.plan;
    auto folder = UserFolder::read(spec.folder, parts.cacheFolder, stop);
    if (!folder)
        add(plan, folder.error());
    auto program = Program::read(parts, stop);
    if (!program)
        add(plan, program.error());
    if (!folder || !program)
        return {};
    measured.folder = std::make_shared<const UserFolder>(std::move(*folder));
    measured.program = std::make_shared<const Program>(std::move(*program));
    if (!measured.folder->isEmpty())
        plan.problems.append(
            {Severity::Note,
             {},
             QStringLiteral("%1 goes with the run: %2").arg(spec.folder, measured.folder->sent.words()),
             measured.folder->sent.ignored == 0
                 ? QString()
                 : QStringLiteral("%1 ignored files and folders stay here.").arg(measured.folder->sent.ignored)});
    const auto rows = onEachNode<Result<RuntimeRow>>(
        measured.links.size(), stop, [&](std::size_t i, std::stop_token step) -> Result<Result<RuntimeRow>> {
            return askRuntimeRow(measured.links[i], measured.probes[i].facts, *measured.program,
                                 deviceUse(plan, static_cast<int>(i)), step);
        });
    if (!rows)
        return std::unexpected(rows.error());
    measured.runtimes.clear();
    for (std::size_t i = 0; i < rows->size(); ++i) {
        const Result<RuntimeRow>& row = (*rows)[i];
        measured.runtimes.push_back(row ? row->choice : RuntimeChoice());
        if (!row && row.error().code == ErrorCode::Stopped)
            return std::unexpected(row.error());
        if (!row) {
            add(plan, row.error());
            continue;
        }
        PlannedNode& node = plan.nodes[static_cast<qsizetype>(i)];
        node.runtime = row->shown;
        node.runtimeFolder = runtimeFolder(*measured.program, row->choice, measured.probes[i].facts);
        plan.problems += row->choice.problems;
    }
    return {};
}

} // namespace lockstep
