// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/clock.h"

#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"

#include <cerrno>
#include <unistd.h>

namespace lockstep::agent {

int runClock(int outFd, int inFd)
{
    char bytes[256];
    for (;;) {
        const ssize_t got = ::read(inFd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 ? 0 : 1;
        std::string out;
        for (ssize_t i = 0; i < got; ++i)
            if (bytes[i] == '\n')
                wire::Encoder(out).begin("clock", wire::kNode, monotonicUs()).field("wall_us", wallUs()).end();
        if (!out.empty() && !writeAll(outFd, out))
            return 1;
    }
}

} // namespace lockstep::agent
