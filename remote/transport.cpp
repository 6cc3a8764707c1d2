// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/transport.h"

namespace lockstep {

Result<Finished> Transport::run(const QList<QByteArray>& argv, const QByteArray& input, Deadline deadline,
                                std::stop_token stop)
{
    auto process = start(argv, deadline, stop);
    if (!process)
        return std::unexpected(process.error());
    // Queued, not written: a program that answers before it has read everything would wait for us, and we for it.
    if (!input.isEmpty())
        (*process)->queueInput(input);
    if (auto closed = (*process)->closeInput(); !closed)
        return std::unexpected(closed.error());
    Finished finished;
    for (;;) {
        auto chunk = (*process)->read(deadline, stop);
        if (!chunk)
            return std::unexpected(chunk.error());
        finished.out += chunk->out;
        finished.err += chunk->err;
        if (chunk->ended) {
            finished.exitCode = chunk->exitCode;
            finished.signal = chunk->signal;
            return finished;
        }
    }
}

} // namespace lockstep
