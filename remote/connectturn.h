// SPDX-License-Identifier: GPL-3.0-or-later
// A place in the window of a server (connectwindow.h), given back in time whatever happens. Worker thread.
#pragma once

#include "remote/connectwindow.h"
#include "remote/iothread.h"

namespace lockstep {

class ConnectTurn {
public:
    // Waits for it; that time does not count, so `deadline` moves.
    [[nodiscard]] static Result<std::unique_ptr<ConnectTurn>>
    take(IoThread& io, const QString& server, const QString& name, Deadline& deadline, const std::stop_token& stop);
    ~ConnectTurn() { leave(ConnectWindow::Left::Otherwise); }
    ConnectTurn(const ConnectTurn&) = delete;
    ConnectTurn& operator=(const ConnectTurn&) = delete;

    void leave(ConnectWindow::Left how); // only the first counts

private:
    ConnectTurn(IoThread& io, QString server) : m_io(io), m_server(std::move(server)) {}

    IoThread& m_io;
    QString m_server;
    bool m_left = false;
};

} // namespace lockstep
