// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/list.h"

#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/folders.h"
#include "remote/agent/runslist.h"
#include "remote/agent/spoolreader.h"
#include "remote/agent/spooltail.h"
#include "remote/agent/sweep.h"

namespace lockstep::agent {

int runList(int out)
{
    const auto runs = runsFolder();
    if (!runs)
        return answerFailure(out, runs.error());
    for (const std::string& name : runNames(*runs)) {
        const std::string folder = *runs + "/" + name;
        const Job job = readJob(folder).value_or(Job{});
        const RunStatus status = runStatus(folder);
        std::string record;
        wire::Encoder encoder(record);
        encoder.begin("run", wire::kNode, monotonicUs())
            .field("run", name)
            .field("attempt", job.attempt)
            .field("node", job.node)
            .field("phase", toString(status.standing))
            .field("pid", status.supervisor)
            .field("spool_bytes", SpoolReader(folder).size())
            .field("left", findProcesses({folder, status.supervisor}).size())
            .end();
        if (!writeAll(out, record))
            break;
    }
    return 0;
}

} // namespace lockstep::agent
