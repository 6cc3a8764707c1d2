// SPDX-License-Identifier: GPL-3.0-or-later
// Fetches the result files of one node of a run while it goes on, and what is left when it is over, through any number
// of cut links. A file takes its name here when all its bytes are and their hash is right. Thread: its owner's; the
// work is on one thread inside, whose signals arrive queued.
#pragma once

#include "core/resultsshelf.h"
#include "remote/nodelink.h"

#include <QObject>
#include <QStringList>

#include <thread>

namespace lockstep {

struct ResultsJob {
    // UntilDone: to the end of the run, over any cut. WhileReachable: what is whole by now, of a node that answers and
    // sends; Busy: its run goes on.
    enum class Tries { UntilDone, WhileReachable };

    QString run;
    Node node;
    AgentFile agent;
    TransportFactory transports;
    QStringList patterns;
    QString folder; // DataFolder::resultsFolder
    Tries tries = Tries::UntilDone;
};

class ResultsFetcher : public QObject {
    Q_OBJECT

public:
    explicit ResultsFetcher(ResultsJob job, QObject* parent = nullptr);
    ~ResultsFetcher() override; // ends the fetching; what is here of a file is kept

    void start();

signals:
    void fetched(const lockstep::ResultEntry& entry);
    void ended(const lockstep::Result<void>& how); // the last signal; an error: what is missing, and why

private:
    ResultsJob m_job;
    std::jthread m_thread;
};

} // namespace lockstep
