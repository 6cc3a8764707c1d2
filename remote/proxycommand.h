// SPDX-License-Identifier: GPL-3.0-or-later
// The ProxyCommand of ssh_config: a command whose input and output are the connection. The one string of the user's
// that a shell sees, because ssh_config says that it is a line for the shell. Any thread.
#pragma once

#include "remote/descriptor.h"
#include "remote/transport.h"

namespace lockstep {

class ProxyCommand {
public:
    struct Started {
        std::shared_ptr<ProxyCommand> command;
        Descriptor socket; // the connection
    };
    [[nodiscard]] static Result<Started> start(const QString& command, const QString& node);
    ~ProxyCommand(); // hangs up on it, as ssh does; waits for nothing
    ProxyCommand(const ProxyCommand&) = delete;
    ProxyCommand& operator=(const ProxyCommand&) = delete;

    // The end of what it wrote to its standard error, or with what exit code it failed; waits a moment for it to end.
    // Empty: it goes on, or ended well.
    [[nodiscard]] QString complaint(const std::stop_token& stop) const;

private:
    struct State;
    explicit ProxyCommand(std::shared_ptr<State> state);

    std::shared_ptr<State> m_state;
};

} // namespace lockstep
