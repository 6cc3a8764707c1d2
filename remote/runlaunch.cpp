// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/runlaunch.h"

namespace lockstep {

RunLaunch::RunLaunch(RunParts parts, StoreThread& store, Request request, QObject* parent)
    : QObject(parent), m_parts(std::move(parts)), m_store(store), m_request(std::move(request))
{
}

RunLaunch::~RunLaunch() = default;

void RunLaunch::start()
{
    m_thread = std::jthread([this](std::stop_token stop) { run(std::move(stop)); });
}

void RunLaunch::requestStop()
{
    m_thread.request_stop();
}

// A plan from the inventory alone already knows whether the spec can be meant; only such a launch is recorded.
Result<LaunchId> RunLaunch::create()
{
    QList<PlanNode> nodes;
    for (const Node& node : m_request.nodes)
        nodes.append({node, std::nullopt});
    const LaunchPlan plan = makePlan(m_request.spec, nodes, {});
    if (!plan.launchable())
        return std::unexpected(notLaunchable(plan));
    auto [state, claim] = m_store
                              .ask([spec = m_request.spec, plan](RunStore& store) {
                                  auto made = store.create(spec, plan);
                                  auto taken = made ? store.claim(made->id) : nullptr;
                                  return std::pair(std::move(made), std::move(taken));
                              })
                              .get();
    if (!state)
        return std::unexpected(state.error());
    emit created(plan, *state, claim);
    return LaunchId{state->id, state->attempt};
}

void RunLaunch::run(std::stop_token stop)
{
    const auto id = m_request.again ? Result<LaunchId>(*m_request.again) : create();
    if (!id) {
        emit refused(id.error());
        return;
    }
    LaunchEvents events;
    events.phase = [this](RunPhase phase) { emit phaseChanged(phase); };
    events.progress = [this](int nodeIndex, const QString& words) { emit progressed(nodeIndex, words); };
    events.planned = [this, run = id->run](const LaunchPlan& plan) {
        m_store.post([run, plan](RunStore& store) {
            if (auto saved = store.savePlan(run, plan); !saved)
                qWarning("%s", qPrintable(saved.error().text));
        });
        emit planned(plan);
    };
    auto result = launchRun(m_parts, m_request.spec, m_request.nodes, *id, events, stop);
    if (result)
        emit launched(*result);
    else
        emit failed(result.error());
}

} // namespace lockstep
