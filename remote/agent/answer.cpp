// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/answer.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"
#include "remote/agent/clocks.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <unistd.h>

namespace lockstep::agent {

std::unexpected<Failure> failedSystemCall(const std::string& what)
{
    const int error = errno;
    return failed(error == ENOSPC || error == EDQUOT ? "disk" : "io", "can't " + what + ": " + std::strerror(error));
}

bool writeAll(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {
            pollfd writable{fd, POLLOUT, 0};
            ::poll(&writable, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

int answerFailure(int fd, const Failure& failure)
{
    std::string line;
    wire::Encoder encoder(line);
    encoder.begin(wire::kind::kError, wire::kNode, monotonicUs())
        .field("code", failure.code)
        .field("text", failure.text)
        .end();
    writeAll(fd, line);
    return 1;
}

} // namespace lockstep::agent
