// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/nodemodel.h"

#include "core/samemachine.h"
#include "ui/nodes/nodewords.h"

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr qsizetype kCpuBars = 8;
const QString kUnknown = QStringLiteral("–");

Cell plain(const QString& text, Tone tone = Tone::Text)
{
    Cell cell;
    cell.text = text.isEmpty() ? kUnknown : text;
    cell.tone = tone;
    return cell;
}

Cell devices(const NodeState& state)
{
    if (!state.facts)
        return plain({});
    const bool live = state.phase == NodePhase::Ready;
    Cell cell = plain(devicesText(*state.facts), live ? Tone::Text : Tone::Text3);
    if (!live)
        return cell;
    if (state.facts->devices.isEmpty()) {
        // One CPU: its last seconds, as many bars as a usual node has devices.
        const QList<double> last = state.cpuHistory.last(std::min<qsizetype>(state.cpuHistory.size(), kCpuBars));
        for (const double percent : last)
            cell.bars.push_back(percent / 100);
        return cell;
    }
    for (const DeviceFacts& device : state.facts->devices) {
        const CoreSample* sample = sampleOf(state, QStringLiteral("gpu:") + device.uuid);
        cell.bars.push_back(sample ? sample->util / 100 : -1);
    }
    return cell;
}

} // namespace

NodeModel::NodeModel(const NodeList& nodes, const RunList& runs, QObject* parent)
    : CellModel({{"name"},
                 {"address"},
                 {"state"},
                 {"devices"},
                 {"CUDA / driver"},
                 {"clock", Qt::AlignRight},
                 {"tags"},
                 {"runtime"}},
                parent),
      m_nodes(nodes), m_runs(runs), m_rows(static_cast<int>(nodes.nodes().size()))
{
    connect(&nodes, &NodeList::reset, this, [this] {
        beginResetModel();
        m_rows = static_cast<int>(m_nodes.nodes().size());
        endResetModel();
    });
    connect(&nodes, &NodeList::nodeChanged, this,
            [this](int row) { emit dataChanged(index(row, 0), index(row, ColumnCount - 1)); });
}

int NodeModel::rowsShown() const
{
    return m_rows;
}

const NodeState* NodeModel::node(int row) const
{
    return row >= 0 && row < m_nodes.nodes().size() ? &m_nodes.nodes().at(row) : nullptr;
}

int NodeModel::rowOf(const QString& name) const
{
    for (int row = 0; row < m_rows; ++row)
        if (node(row) && node(row)->node.name == name)
            return row;
    return -1;
}

void NodeModel::refresh()
{
    if (m_rows > 0)
        emit dataChanged(index(0, State), index(m_rows - 1, State));
}

Cell NodeModel::cellAt(int row, int column) const
{
    const NodeState* known = node(row);
    if (!known)
        return {};
    const NodeState& state = *known;
    switch (static_cast<Column>(column)) {
    case Name: {
        Cell name = plain(state.node.name);
        name.font = FontRole::CellStrong;
        return name;
    }
    case Address:
        return plain(addressText(state.node));
    case State: {
        StateWords words = stateWords(state, runOn(m_runs, state.node.name));
        if (state.phase == NodePhase::Ready)
            if (const QString twin = twinOf(state, m_nodes.nodes()); !twin.isEmpty())
                words = {Icon::Warn, Tone::Warn, QStringLiteral("the same machine as %1").arg(twin), {}};
        Cell cell = plain(words.words, words.tone);
        cell.icon = words.icon;
        cell.action = words.action;
        return cell;
    }
    case Devices:
        return devices(state);
    case Driver:
        return plain(driverText(state), state.phase == NodePhase::Ready ? Tone::Text : Tone::Text3);
    case Clock:
        return plain(clockText(state), isClockApart(state) ? Tone::Warn : Tone::Text);
    case Tags: {
        Cell cell = plain({});
        cell.tags = state.node.tags;
        if (!cell.tags.isEmpty())
            cell.text.clear();
        return cell;
    }
    case Runtime:
        return plain(state.deployed, state.phase == NodePhase::Ready ? Tone::Text : Tone::Text3);
    case ColumnCount:
        break;
    }
    return {};
}

QVariant NodeModel::sortKeyAt(int row, int column) const
{
    if (column == Name)
        return static_cast<double>(row); // the inventory's own order is the one people know
    const NodeState* state = node(row);
    return column == Clock && state ? QVariant(state->clockOffsetMs.value_or(0)) : QVariant();
}

QString NodeModel::hintAt(int row, int column) const
{
    const NodeState* state = node(row);
    if (!state)
        return {};
    if (column == Devices && state->facts && state->facts->devices.isEmpty())
        return QStringLiteral("CPU utilisation over the last %1 s").arg(kCpuBars);
    return column == State ? state->sentence : QString();
}

} // namespace lockstep::ui
