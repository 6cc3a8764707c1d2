// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/connectwindow.h"

namespace lockstep {

void ConnectWindow::enter(const QString& server, std::function<bool()> enter)
{
    Server& entry = m_servers[server];
    if (entry.inside >= kWidth)
        entry.waiting.push_back(std::move(enter));
    else if (enter())
        ++entry.inside;
}

void ConnectWindow::leave(const QString& server)
{
    const auto found = m_servers.find(server);
    if (found == m_servers.end())
        return;
    Server& entry = found->second;
    while (!entry.waiting.empty()) {
        const auto next = std::move(entry.waiting.front());
        entry.waiting.pop_front();
        if (next())
            return; // the place changed hands
    }
    if (--entry.inside <= 0)
        m_servers.erase(found);
}

} // namespace lockstep
