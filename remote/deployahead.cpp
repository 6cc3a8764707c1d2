// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/deployahead.h"

#include "remote/eachnode.h"
#include "remote/relay.h"
#include "remote/runtimeplan.h"

namespace lockstep {

namespace {

struct Target {
    NodeLink link;
    NodeFacts facts;
    RuntimeRow row;
    DeployedNode done;
    std::optional<Deployed> relayed; // what the relay moved to it
    bool ready = false;              // its runtime is known and fits
};

class Ahead {
public:
    Ahead(const RunParts& parts, const DeployAhead& order, std::stop_token stop)
        : m_parts(parts), m_order(order), m_stop(std::move(stop))
    {
    }

    Result<std::vector<DeployedNode>> run()
    {
        if (auto prepared = m_order.spec ? prepareBySpec() : prepareEach(); !prepared)
            return std::unexpected(prepared.error());
        if (m_order.relay == Relay::On)
            passOn();
        each([this](Target& target, std::stop_token stop) {
            if (target.ready)
                deploy(target, stop);
        });
        std::vector<DeployedNode> nodes;
        nodes.reserve(m_targets.size());
        for (Target& target : m_targets)
            nodes.push_back(std::move(target.done));
        return nodes;
    }

private:
    template <typename F>
    void each(F work)
    {
        (void)onEachNode<std::monostate>(m_targets.size(), m_stop,
                                         [&](std::size_t i, std::stop_token stop) -> Result<std::monostate> {
                                             work(m_targets[i], stop);
                                             return std::monostate();
                                         });
    }

    void say(const Target& target, const QString& words) const
    {
        if (m_order.progressed)
            m_order.progressed(target.done.node, words);
    }

    void addTarget(const QString& name)
    {
        Target target;
        target.done.node = name;
        target.done.result = failure(ErrorCode::Stopped, QStringLiteral("stopped"), name);
        m_targets.push_back(std::move(target));
    }

    Result<void> prepareBySpec()
    {
        auto measured = measurePlan(m_parts, *m_order.spec, m_order.nodes, m_stop);
        if (!measured)
            return std::unexpected(measured.error());
        if (!measured->program || measured->runtimes.size() != measured->links.size())
            return std::unexpected(notLaunchable(measured->plan));
        m_program = measured->program;
        m_folder = measured->folder;
        for (std::size_t i = 0; i < measured->links.size(); ++i) {
            const PlannedNode& planned = measured->plan.nodes[static_cast<qsizetype>(i)];
            addTarget(planned.name);
            m_targets[i].link = measured->links[i];
            m_targets[i].facts = measured->probes[i].facts;
            take(m_targets[i], RuntimeRow{measured->runtimes[i], planned.runtime});
        }
        return {};
    }

    Result<void> prepareEach()
    {
        auto program = Program::read(m_parts, m_stop);
        if (!program)
            return std::unexpected(program.error());
        m_program = std::make_shared<const Program>(std::move(*program));
        m_folder = std::make_shared<const UserFolder>();
        for (const Node& node : m_order.nodes)
            addTarget(node.name);
        each([this](Target& target, std::stop_token stop) {
            const auto node = std::find_if(m_order.nodes.begin(), m_order.nodes.end(),
                                           [&](const Node& one) { return one.name == target.done.node; });
            auto link = openNode(m_parts.transports, *node, m_program->agent, stop);
            auto probed = link ? probeNode(*link, stop) : Result<Probed>(std::unexpected(link.error()));
            auto row = probed ? askRuntimeRow(*link, probed->facts, *m_program,
                                              probed->facts.devices.isEmpty() || m_program->about.cudaFiles.isEmpty()
                                                  ? DeviceUse::Cpu
                                                  : DeviceUse::Gpu,
                                              stop)
                              : Result<RuntimeRow>(std::unexpected(probed.error()));
            if (!row) {
                target.done.result = std::unexpected(row.error());
                return;
            }
            target.link = *link;
            target.facts = probed->facts;
            take(target, *row);
        });
        return {};
    }

    // What does not fit is said before anything is sent.
    static void take(Target& target, RuntimeRow row)
    {
        target.row = std::move(row);
        target.done.runtime = target.row.shown.value;
        target.ready = target.row.choice.fits();
        for (const Problem& problem : target.row.choice.problems)
            if (problem.severity == Severity::Error && !target.ready)
                target.done.result = failure(ErrorCode::BadInput, problem.title + QStringLiteral(". ") + problem.detail,
                                             target.done.node);
    }

    static void add(Deployed& all, const Deployed& part)
    {
        all.filesSent += part.filesSent;
        all.bytesSent += part.bytesSent;
        all.bytesReceived += part.bytesReceived;
        all.cuts += part.cuts;
        all.seconds += part.seconds;
    }

    void deploy(Target& target, std::stop_token stop) const
    {
        const auto said = [&](const QString& words) { say(target, words); };
        auto deployed = deployRuntime(target.link, *m_program, target.row.choice, said, stop);
        if (deployed && target.relayed)
            add(*deployed, *target.relayed);
        if (deployed && !m_folder->isEmpty()) {
            const auto files = deployFolder(target.link, *m_folder, *m_program, said, stop);
            if (!files)
                deployed = std::unexpected(files.error());
            else
                add(*deployed, *files);
        }
        target.done.result = std::move(deployed);
    }

    // Only whole bundles of ours are passed on: they hold nothing secret, and the user's folder may.
    void passOn()
    {
        std::vector<RelayNode> nodes;
        std::vector<std::size_t> indexes;
        for (std::size_t i = 0; i < m_targets.size(); ++i)
            if (m_targets[i].ready && m_targets[i].row.choice.kind == RuntimeKind::Bundle) {
                nodes.push_back({&m_targets[i].link, m_targets[i].facts, {}, false});
                indexes.push_back(i);
            }
        relayBundle(
            nodes, *m_program, [&](std::size_t i, const QString& words) { say(m_targets[indexes[i]], words); }, m_stop);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i].deployed) {
                m_targets[indexes[i]].relayed = nodes[i].deployed;
                m_targets[indexes[i]].done.passedOn = nodes[i].passedOn;
            }
    }

    const RunParts& m_parts;
    const DeployAhead& m_order;
    std::stop_token m_stop;
    std::shared_ptr<const Program> m_program;
    std::shared_ptr<const UserFolder> m_folder;
    std::vector<Target> m_targets;
};

} // namespace

Result<std::vector<DeployedNode>> deployAhead(const RunParts& parts, const DeployAhead& order, std::stop_token stop)
{
    return Ahead(parts, order, std::move(stop)).run();
}

} // namespace lockstep
