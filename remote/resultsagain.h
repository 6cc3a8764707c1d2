// SPDX-License-Identifier: GPL-3.0-or-later
// The result files of a run once more, on request: what is missing here comes, of every node that can be asked.
#pragma once

#include "core/inventory.h"
#include "core/runstore.h"
#include "remote/resultsfetcher.h"
#include "remote/runparts.h"

namespace lockstep {

struct ResultsOrder {
    QString run;
    QStringList patterns;
    QList<Node> nodes;
    QString folder;                  // DataFolder::resultsFolder
    std::shared_ptr<RunClaim> claim; // held meanwhile: two would write into the same half files
};

// Store thread. Busy: who drives the run fetches while it goes on. BadInput: its spec names no results.
[[nodiscard]] Result<ResultsOrder> orderResults(RunStore& store, const QString& run, const Inventory& inventory);

struct FetchedNode {
    QString node;
    Result<void> how; // an error: what is missing, and why; Busy: its run goes on, and what is whole has come
};

// Worker thread; `fetched` is called by the nodes' threads.
[[nodiscard]] Result<QList<FetchedNode>> fetchResults(const RunParts& parts, const ResultsOrder& order,
                                                      const std::function<void(const ResultEntry&)>& fetched,
                                                      std::stop_token stop);

} // namespace lockstep
