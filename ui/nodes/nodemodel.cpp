// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/nodemodel.h"

#include "core/samemachine.h"
#include "ui/nodes/nodewords.h"

#include <algorithm>
#include <array>

namespace lockstep::ui {

namespace {

constexpr std::array<const char*, NodeModel::ColumnCount> kTitles{"name",          "address", "state", "devices",
                                                                  "CUDA / driver", "clock",   "tags",  "runtime"};
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
    : QAbstractTableModel(parent), m_nodes(nodes), m_runs(runs), m_rows(static_cast<int>(nodes.nodes().size()))
{
    connect(&nodes, &NodeList::reset, this, [this] {
        beginResetModel();
        m_rows = static_cast<int>(m_nodes.nodes().size());
        endResetModel();
    });
    connect(&nodes, &NodeList::nodeChanged, this,
            [this](int row) { emit dataChanged(index(row, 0), index(row, ColumnCount - 1)); });
}

int NodeModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int NodeModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
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

Cell NodeModel::cell(const NodeState& state, int column) const
{
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

QVariant NodeModel::sortKey(const NodeState& state, int row, int column) const
{
    if (column == Name)
        return static_cast<double>(row); // the inventory's own order is the one people know
    if (column == Clock)
        return state.clockOffsetMs.value_or(0);
    return {};
}

QVariant NodeModel::data(const QModelIndex& index, int role) const
{
    const NodeState* state = node(index.row());
    if (!state || !index.isValid())
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Tags ? state->node.tags.join(QLatin1Char(' ')) : cell(*state, index.column()).text;
    case kCellRole:
        return QVariant::fromValue(cell(*state, index.column()));
    case kSortRole:
        return sortKey(*state, index.row(), index.column());
    case Qt::TextAlignmentRole:
        return index.column() == Clock ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::ToolTipRole:
        if (index.column() == Devices && state->facts && state->facts->devices.isEmpty())
            return QStringLiteral("CPU utilisation over the last %1 s").arg(kCpuBars);
        return index.column() == State && !state->sentence.isEmpty() ? QVariant(state->sentence) : QVariant();
    default:
        return {};
    }
}

QVariant NodeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return QString::fromLatin1(kTitles[static_cast<std::size_t>(section)]);
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == Clock ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

} // namespace lockstep::ui
