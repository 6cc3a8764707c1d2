// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/transport.h"

namespace lockstep {

Result<Finished> Transport::run(const QList<QByteArray>& argv, const QByteArray& input, Deadline deadline, std::stop_token stop)
{
    auto process = start(argv, deadline, stop);
    if (!process)
        return std::unexpected(process.error());
    if (!input.isEmpty())
        if (auto written = (*process)->write(input, deadline, stop); !written)
            return std::unexpected(written.error());
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
            return finished;
        }
    }
}

} // namespace lockstep
