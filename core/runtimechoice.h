// SPDX-License-Identifier: GPL-3.0-or-later
// What a node runs on, and what of it does not fit. Pure: facts in, choice out.
#pragma once

#include "core/bundleabout.h"
#include "core/launchplan.h"

namespace lockstep {

struct FoundTorch { // of a node, as `lockstep-agent find-torch` says it
    QString path, version, cuda, nccl;
    bool hasCuda = false;

    bool operator==(const FoundTorch&) const = default;
};

enum class RuntimeKind {
    Bundle,  // everything from us
    Found,   // the trainer and its plug-in from us, beside a torch that the node has
    Fetched, // the same, beside a torch that the node's own pip fetches
    Sent,    // the same, beside a torch of this machine that is sent
};

struct TorchSources { // where a torch could come from
    QList<FoundTorch> onNode;
    bool nodeHasPip = false;
    QString onDesktop; // folder of a fitting one here, empty: none
};

enum class DeviceUse { Cpu, Gpu };

struct RuntimeChoice {
    RuntimeKind kind = RuntimeKind::Bundle;
    QString torch; // on the node when Found, here when Sent
    QString why;   // in words, for the plan
    QList<Problem> problems;

    bool operator==(const RuntimeChoice&) const = default;
    [[nodiscard]] bool fits() const; // no problem is an Error
};

[[nodiscard]] RuntimeChoice chooseRuntime(const BundleAbout& about, const NodeFacts& facts, const QString& node,
                                          DeviceUse use, const TorchSources& sources);
// The torch of a list that the bundle was built for; null: none.
[[nodiscard]] const FoundTorch* fittingTorch(const BundleAbout& about, const QList<FoundTorch>& torches);

} // namespace lockstep
