// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/connectwindow.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr double kFirst = 8, kLeast = 1, kMost = 64;

} // namespace

void ConnectWindow::enter(const QString& server, std::function<bool()> enter)
{
    Server& entry = m_servers[server];
    entry.width = std::max(entry.width, kLeast);
    if (entry.inside == 0 && entry.waiting.empty())
        entry.width = std::max(entry.width, kFirst);
    entry.waiting.push_back(std::move(enter));
    admit(entry);
}

void ConnectWindow::leave(const QString& server, Left how)
{
    const auto found = m_servers.find(server);
    if (found == m_servers.end())
        return;
    Server& entry = found->second;
    entry.inside = std::max(0, entry.inside - 1);
    switch (how) {
    case Left::SignedIn:
        entry.width = std::min(kMost, entry.width + 1 / entry.width);
        break;
    case Left::HungUp:
        if (entry.calm > 0) {
            --entry.calm;
        } else {
            entry.calm = entry.inside;
            entry.width = std::max(kLeast, entry.width / 2);
        }
        break;
    case Left::Otherwise:
        break;
    }
    if (entry.inside == 0)
        entry.calm = 0;
    admit(entry);
}

double ConnectWindow::width(const QString& server) const
{
    const auto found = m_servers.find(server);
    return found == m_servers.end() ? kFirst : found->second.width;
}

void ConnectWindow::admit(Server& server)
{
    while (!server.waiting.empty() && server.inside < static_cast<int>(server.width)) {
        const auto next = std::move(server.waiting.front());
        server.waiting.pop_front();
        if (next())
            ++server.inside;
    }
}

} // namespace lockstep
