// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/noderecords.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"
#include "remote/agent/clocks.h"
#include "remote/agent/folders.h"
#include "remote/agent/procfile.h"
#include "remote/agent/version.h"

namespace lockstep::agent {

namespace {

namespace kind = wire::kind;

} // namespace

void appendHello(std::string& out, const Job& job)
{
    wire::Encoder encoder(out);
    encoder.begin(kind::kHello, wire::kNode, monotonicUs())
        .field("version", wire::kFormatVersion)
        .field("agent", kVersion)
        .field("host", hostName())
        .field("node", job.node)
        .field("boot_id", bootId())
        .field("run", job.run)
        .field("attempt", job.attempt)
        .field("wall_us", wallUs())
        .end();
}

void appendClock(std::string& out)
{
    wire::Encoder encoder(out);
    encoder.begin(kind::kClock, wire::kNode, monotonicUs()).field("wall_us", wallUs()).end();
}

void appendNodePhase(std::string& out, std::string_view phase, std::string_view reason)
{
    wire::Encoder encoder(out);
    encoder.begin(kind::kPhase, wire::kNode, monotonicUs()).field("phase", phase);
    if (!reason.empty())
        encoder.field("reason", reason);
    encoder.end();
}

void appendStopping(std::string& out, std::string_view reason, std::optional<int> askedGraceS)
{
    wire::Encoder encoder(out);
    encoder.begin(kind::kPhase, wire::kNode, monotonicUs()).field("phase", "stopping").field("reason", reason);
    if (askedGraceS)
        encoder.field("asked_grace", *askedGraceS);
    encoder.end();
}

void appendEnded(std::string& out, const Proof& proof)
{
    std::string pids;
    for (const ProcessId& process : proof.left)
        pids += (pids.empty() ? "" : ",") + std::to_string(process.pid);
    wire::Encoder encoder(out);
    encoder.begin(kind::kPhase, wire::kNode, monotonicUs())
        .field("phase", "ended")
        .field("reason", proof.reason)
        .field("gone", proof.gone)
        .field("left", proof.left.size());
    if (!pids.empty())
        encoder.field("left_pids", pids);
    if (proof.gpusFree + proof.gpusHeld > 0)
        encoder.field("gpus_free", proof.gpusFree).field("gpus_held", proof.gpusHeld);
    if (proof.askedGraceS)
        encoder.field("asked_grace", *proof.askedGraceS);
    encoder.end();
}

} // namespace lockstep::agent
