// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/resultsagain.h"

#include "core/specnodes.h"
#include "remote/eachnode.h"
#include "remote/resultsloop.h"

#include <variant>

namespace lockstep {

Result<ResultsOrder> orderResults(RunStore& store, const QString& run, const Inventory& inventory)
{
    const auto spec = store.spec(run);
    if (!spec)
        return std::unexpected(spec.error());
    const auto plan = store.plan(run);
    if (!plan)
        return std::unexpected(plan.error());
    if (spec->results.isEmpty())
        return failure(ErrorCode::BadInput,
                       QStringLiteral("The spec of %1 names no files to fetch (results = [\"*.pt\"]).").arg(run));
    ResultsOrder order{run, spec->results, {}, store.folder().resultsFolder(run), store.claim(run)};
    if (!order.claim)
        return failure(ErrorCode::Busy,
                       QStringLiteral("%1 goes on; what it writes is fetched by the program that drives it.").arg(run));
    for (const PlannedNode& planned : plan->nodes)
        order.nodes.append(nodeFor(planned, inventory));
    return order;
}

Result<QList<FetchedNode>> fetchResults(const RunParts& parts, const ResultsOrder& order,
                                        const std::function<void(const ResultEntry&)>& fetched, std::stop_token stop)
{
    const auto agent = AgentFile::load(parts.agentFile);
    if (!agent)
        return std::unexpected(agent.error());
    using Done = Result<std::monostate>;
    const auto fetchOne = [&](std::size_t i, std::stop_token step) -> Result<Done> {
        const ResultsJob job{.run = order.run,
                             .node = order.nodes[static_cast<qsizetype>(i)],
                             .agent = *agent,
                             .transports = parts.transports,
                             .patterns = order.patterns,
                             .folder = order.folder,
                             .tries = ResultsJob::Tries::WhileReachable};
        const auto how = ResultsLoop(job, fetched, std::move(step)).run();
        return how ? Done() : Done(std::unexpected(how.error()));
    };
    const auto answers = *onEachNode<Done>(static_cast<std::size_t>(order.nodes.size()), stop, fetchOne);
    QList<FetchedNode> nodes;
    for (std::size_t i = 0; i < answers.size(); ++i)
        nodes.append({order.nodes[static_cast<qsizetype>(i)].name,
                      answers[i] ? Result<void>() : std::unexpected(answers[i].error())});
    return nodes;
}

} // namespace lockstep
