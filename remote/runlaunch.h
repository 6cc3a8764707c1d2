// SPDX-License-Identifier: GPL-3.0-or-later
// A launch going on: the flow of launcher.h on a thread of its own, the store written as it goes, what happens told by
// signals. Thread: its owner's; signals arrive queued.
#pragma once

#include "core/storethread.h"
#include "remote/launcher.h"

#include <thread>

namespace lockstep {

class RunLaunch : public QObject {
    Q_OBJECT

public:
    struct Request {
        RunSpec spec;
        QList<Node> nodes;
        std::optional<LaunchId> again; // a further attempt of a run that is in the store
    };

    RunLaunch(RunParts parts, StoreThread& store, Request request, QObject* parent = nullptr);
    ~RunLaunch() override; // as requestStop(), and waits for the step that is going on

    void start();
    void requestStop(); // the flow ends with Stopped, unless `go` was given

signals:
    void created(const lockstep::LaunchPlan& plan, const lockstep::RunState& state,
                 std::shared_ptr<lockstep::RunClaim> claim); // not for a further attempt
    void refused(const lockstep::Error& error);              // instead of everything else
    void phaseChanged(lockstep::RunPhase phase);
    void planned(const lockstep::LaunchPlan& plan); // saved
    void progressed(int nodeIndex, const QString& words);
    void launched(const lockstep::Launched& launched);
    void failed(const lockstep::Error& error); // nothing runs

private:
    void run(std::stop_token stop);
    [[nodiscard]] Result<LaunchId> create();

    RunParts m_parts;
    StoreThread& m_store;
    Request m_request;
    std::jthread m_thread;
};

} // namespace lockstep
