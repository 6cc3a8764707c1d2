// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runlist.h"

#include <algorithm>

namespace lockstep {

const RunSummary* RunList::find(const QString& id) const
{
    const auto it = std::find_if(m_runs.begin(), m_runs.end(), [&](const RunSummary& run) { return run.id == id; });
    return it == m_runs.end() ? nullptr : &*it;
}

RunData* RunList::data(const QString& id) const
{
    const auto it = m_open.find(id);
    return it == m_open.end() ? nullptr : it->second.get();
}

QStringList RunList::open() const
{
    return m_openOrder;
}

void RunList::setRuns(QList<RunSummary> runs)
{
    m_runs = std::move(runs);
    emit reset();
}

void RunList::update(const RunSummary& run)
{
    for (int i = 0; i < m_runs.size(); ++i) {
        if (m_runs[i].id == run.id) {
            m_runs[i] = run;
            emit runChanged(i);
            return;
        }
    }
    m_runs.prepend(run);
    emit reset();
}

RunData& RunList::attach(const QString& id)
{
    if (RunData* known = data(id))
        return *known;
    auto made = std::make_unique<RunData>();
    RunData& run = *made;
    m_open.emplace(id, std::move(made));
    m_openOrder.append(id);
    emit opened(id);
    return run;
}

void RunList::close(const QString& id)
{
    const auto it = m_open.find(id);
    if (it == m_open.end())
        return;
    const std::unique_ptr<RunData> last = std::move(it->second); // lives until everyone has heard of it
    m_open.erase(it);
    m_openOrder.removeAll(id);
    emit closed(id);
}

} // namespace lockstep
