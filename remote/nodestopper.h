// SPDX-License-Identifier: GPL-3.0-or-later
// A stop of a run on one node going on, on a thread of its own. Thread: its owner's; the signal arrives queued.
#pragma once

#include "remote/runstop.h"

#include <QObject>

#include <thread>

namespace lockstep {

class NodeStopper : public QObject {
    Q_OBJECT

public:
    struct Request {
        Node node;
        QString run;
        StopWish wish;
    };

    NodeStopper(RunParts parts, Request request, QObject* parent = nullptr);
    ~NodeStopper() override;

    void start();

signals:
    void answered(const lockstep::Result<lockstep::StopProof>& proof); // once

private:
    RunParts m_parts;
    Request m_request;
    std::jthread m_thread;
};

} // namespace lockstep
