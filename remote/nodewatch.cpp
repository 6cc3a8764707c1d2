// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/nodewatch.h"

#include "remote/nodeworker.h"

namespace lockstep {

NodeWatch::NodeWatch(RunParts parts, HostKeyAcceptor acceptor, QObject* parent)
    : QObject(parent), m_parts(std::move(parts)), m_acceptor(std::move(acceptor))
{
}

NodeWatch::~NodeWatch()
{
    for (const auto& [name, worker] : m_workers)
        worker->requestStop(); // all at once, so that the joins that follow take as long as the slowest
}

void NodeWatch::setInventory(const Inventory& inventory)
{
    QStringList gone;
    for (const auto& [name, worker] : m_workers)
        if (const Node* node = inventory.find(name); node == nullptr || !node->isReachedLike(worker->lastState().node))
            gone.append(name);
    for (const QString& name : std::as_const(gone))
        retire(name);
    for (const Node& node : inventory.nodes)
        if (!m_workers.contains(node.name)) {
            NodeState unknown;
            unknown.node = node;
            begin(unknown, {});
        }
}

void NodeWatch::check(const QString& node)
{
    acceptHostKey(node, {});
}

void NodeWatch::checkAll()
{
    QStringList names;
    for (const auto& [name, worker] : m_workers)
        names.append(name);
    for (const QString& name : std::as_const(names))
        check(name);
}

void NodeWatch::acceptHostKey(const QString& node, const QString& fingerprint)
{
    const auto found = m_workers.find(node);
    if (found == m_workers.end())
        return;
    const NodeState known = found->second->lastState();
    retire(node);
    begin(known, fingerprint);
}

void NodeWatch::begin(NodeState known, const QString& acceptedFingerprint)
{
    const QString name = known.node.name;
    NodeWorker::Accept accept;
    if (!acceptedFingerprint.isEmpty())
        accept = [acceptor = m_acceptor, node = known.node, acceptedFingerprint] {
            return acceptor(node, acceptedFingerprint);
        };
    auto worker = std::make_unique<NodeWorker>(m_parts, std::move(known), std::move(accept));
    connect(worker.get(), &NodeWorker::stateChanged, this, &NodeWatch::stateChanged);
    worker->start();
    m_workers.insert_or_assign(name, std::move(worker));
}

void NodeWatch::retire(const QString& node)
{
    auto worker = std::move(m_workers.at(node));
    m_workers.erase(node);
    NodeWorker* raw = worker.get();
    disconnect(raw, &NodeWorker::stateChanged, this, nullptr); // its last words are of no interest any more
    connect(raw, &NodeWorker::ended, this,
            [this, raw] { std::erase_if(m_retired, [raw](const auto& one) { return one.get() == raw; }); });
    raw->requestStop();
    m_retired.push_back(std::move(worker));
}

} // namespace lockstep
