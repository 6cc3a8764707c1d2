// SPDX-License-Identifier: GPL-3.0-or-later
// The probe record as a node may send it, and the plan that is made from it. With clang: -fsanitize=fuzzer and this
// file alone.
#include "core/launchplan.h"
#include "core/nodehealth.h"
#include "core/wire/decoder.h"

#include <cstdint>

using namespace lockstep;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    QList<PlanNode> nodes;
    wire::Decoder decoder;
    decoder.feed({reinterpret_cast<const char*>(data), size}, [&nodes](const wire::RecordView& record) {
        if (auto facts = NodeFacts::fromRecord(record); facts && nodes.size() < 3) {
            PlanNode node;
            node.node.name = QStringLiteral("n%1").arg(nodes.size());
            node.facts = std::move(*facts);
            nodes.append(node);
        }
    });
    if (nodes.isEmpty())
        return 0;
    RunSpec spec;
    spec.affinity = Affinity::Cores;
    const LaunchPlan plan = makePlan(spec, nodes, {});
    if (!LaunchPlan::parse(plan.toToml()))
        __builtin_trap(); // whatever a node says, the plan that is stored can be read
    return 0;
}
