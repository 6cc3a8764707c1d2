// SPDX-License-Identifier: GPL-3.0-or-later
// Frames that another node passes on (`serve`). What comes is untrusted until its SHA-256, which the desktop said over
// SSH, is right. Also the words of that protocol:
//   -> TOKEN LF, once; then for each frame: HASH LF
//   <- the frame's bytes; a connection that ends instead is a refusal
#pragma once

#include "remote/agent/fd.h"
#include "remote/agent/outcome.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lockstep::agent {

class PeerFrames {
public:
    [[nodiscard]] static Outcome<PeerFrames> connect(const std::string& address, const std::string& port,
                                                     const std::string& token);
    // The frame from its first byte, in pieces. Failure unreachable: the other node ended it, or its bytes are wrong.
    [[nodiscard]] Outcome<void> take(const std::string& hash, std::uint64_t bytes, const std::string& sha256,
                                     const std::function<Outcome<void>(std::string_view)>& each);

private:
    PeerFrames(Fd socket, std::string from) : m_socket(std::move(socket)), m_from(std::move(from)) {}

    Fd m_socket;
    std::string m_from;
};

// `serve ADDR`: holds ADDR for as long as stdin is open, and gives frames to whoever knows a token that was allowed on
// stdin (`allow - 0 token=`), each once.
[[nodiscard]] int runServe(std::string_view address, int in, int out);

} // namespace lockstep::agent
