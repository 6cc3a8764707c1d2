// SPDX-License-Identifier: GPL-3.0-or-later
// A live run, for the window and the command line alike: launches a spec or takes up a run of the store, follows every
// node to its end, stops on request with proof. Destroying it only ends the watching; the nodes own the job. Thread:
// its owner's (GUI, or a test's main thread with an event loop); all work is on threads inside; it never waits.
#pragma once

#include "core/restartpolicy.h"
#include "core/storethread.h"
#include "remote/follower.h"
#include "remote/launcher.h"
#include "remote/runstop.h"

#include <QHash>
#include <QSet>
#include <QTimer>

#include <memory>
#include <vector>

namespace lockstep {

class NodeStopper;
class ResultsFetcher;
class RunLaunch;
struct ResultEntry;

class RunSession : public QObject {
    Q_OBJECT

public:
    RunSession(RunParts parts, StoreThread& store, QObject* parent = nullptr);
    ~RunSession() override;

    // Once in the life of a session, either:
    void launch(const RunSpec& spec, const QList<Node>& nodes);
    // A run that is over is read from the store, then finished() comes; one that is not is followed from where our copy
    // ends. While another program launches it, its state is shown as that one saves it.
    void attach(const QString& runId, const Inventory& inventory);

    // Ends the run on every node: TERM, grace, KILL, sweep, proof. Before `go`: nothing is started. Again: harmless,
    // and with less grace the ranks have only that.
    // Of a run that is over, the nodes are asked that have not proven that nothing is left.
    // kSpecGrace: as the spec says.
    static constexpr int kSpecGrace = -1;
    void stop(int graceS);

    [[nodiscard]] const RunState& state() const { return m_state; }
    [[nodiscard]] const RunSpec& spec() const { return m_spec; }
    [[nodiscard]] const LaunchPlan& plan() const { return m_plan; }
    [[nodiscard]] bool isFinished() const { return m_finished; }

signals:
    void planChanged(const lockstep::RunSpec& spec, const lockstep::LaunchPlan& plan); // also when the port is known
    void stateChanged(const lockstep::RunState& state);     // has the run's id from the first one on
    void updated(const lockstep::RunUpdate& update);        // what the spools say, in their order
    void resultFetched(const lockstep::ResultEntry& entry); // whole, under its name
    void said(const QString& sentence);                     // an event worth a line: another port, a node lost
    void refused(const lockstep::Error&
                     error); // nothing was recorded: a spec that can't be meant, an unknown run. Then finished()
    void finished();         // the last signal; the state is final and saved

private:
    struct NodeWork { // of one node
        std::unique_ptr<Follower> follower;
        std::unique_ptr<NodeStopper> stopper;
        std::unique_ptr<ResultsFetcher> results;
        bool followed = false;    // to its end
        bool proven = true;       // false: a stop is going on
        int stopGraceS = 0;       // of that stop
        int stopOrders = 0;       // counts them: only the newest one's answer is heard
        bool fetched = true;      // false: result files come, or may come
        bool unreachable = false; // a stop was tried until its deadline: the node counts as lost
        bool offered = false;     // its supervisor is gone; what is left there is ended on request
    };
    struct StoredRun;
    enum class Watching {
        Live,
        Replay,  // the run was over when it was opened
        Proving, // it was over, and a stop asks the nodes that have proven nothing yet
    };

    static constexpr int kOthersGraceS = 3; // of ranks whose run has failed: gone within 10 s of the failure

    void startLaunch(std::optional<LaunchId> again);
    void created(const LaunchPlan& plan, const RunState& state, std::shared_ptr<RunClaim> claim);
    void planned(const LaunchPlan& plan);
    void launched(const Launched& launched);
    void launchFailed(const Error& error);

    void takeUp(const QString& runId);
    void attached(const StoredRun& run);
    void followAll(FollowJob::Until until);
    void lookAtDriver(); // the program that drives the run, while this one does not
    void driverSaid(const StoredRun& run);
    void takeClaim();

    void beginWork(std::size_t nodes);
    [[nodiscard]] std::shared_ptr<SpoolCopy> copyOf(int nodeIndex);
    void follow(int nodeIndex, NodeLink link, FollowJob::Until until);
    void fetchResults(int nodeIndex);
    void heard(const RunUpdate& update);
    void attemptBegun(int attempt);
    void checkWorld(const RunUpdate& update);
    void impose(const FirstCause& cause);
    void linkChanged(int nodeIndex, const LinkReport& report);
    void lookAtClock(int nodeIndex, const ClockReading& clock);
    void followEnded(int nodeIndex, const FollowEnd& end);
    void supervisorLost(int nodeIndex, const FollowEnd& end);
    void neverStarted(int nodeIndex, const FollowEnd& end);

    void stopNode(int nodeIndex, int graceS);
    void stopOthers();
    void stopAskedElsewhere(const PhaseChange& change);
    void stopAnswered(int nodeIndex, const Result<StopProof>& proof);
    void proveAll();

    void settled(); // after each change of the state
    [[nodiscard]] bool isWorking() const;
    void finishIfOver();
    void markFinished();
    [[nodiscard]] bool launchAgain();
    void pauseBeforeRestart(const QString& why);
    void stopWhilePausing();
    void askDriverToStop(int graceS);
    void conclude();
    void refuse(const Error& error);
    void save();

    RunParts m_parts;
    StoreThread& m_store;
    RunSpec m_spec;
    LaunchPlan m_plan;
    RunState m_state;
    AgentFile m_agent;                 // known from the launch, or from the taking up of a run that is not over
    Inventory m_inventory;             // attach: where the nodes of the plan are
    QList<Node> m_nodes;               // in the order of the plan, once there is one
    QList<Node> m_asked;               // in the order of the launch
    std::shared_ptr<RunClaim> m_claim; // null: another program drives the run
    std::unique_ptr<RunLaunch> m_launch;
    std::vector<NodeWork> m_work;
    int m_round = 0; // counts what m_work was filled for: signals of an earlier filling may still come
    QHash<QString, std::shared_ptr<SpoolCopy>> m_copies;
    std::optional<FirstCause> m_imposed; // a cause that no rank reports: a world of the wrong size, a lost supervisor
    QSet<QString> m_clocksSaid;          // nodes
    QHash<int, QStringList> m_lastLines; // of the ranks' stderr
    QTimer m_others;  // what the other nodes' ranks are given to end by themselves after a failure: their words are
                      // worth having
    QTimer m_driver;  // when to look again at what the program that drives the run says
    QTimer m_restart; // until the next attempt
    QTimer m_counted; // until the nodes' counts of bytes are told on
    AttemptsSoFar m_attempts;
    int m_attempt = 1;    // the last one that was begun, or known of
    QString m_checkpoint; // the newest one that rank 0 has written
    qint64 m_checkpointStep = -1;
    RunState m_saved;
    qint64 m_savedWallUs = 0;
    std::optional<int> m_stopGraceS; // as asked, maybe before the run was read from the store
    Watching m_watching = Watching::Live;
    bool m_launchedHere = false;
    bool m_othersStopped = false;
    bool m_proofAsked = false;
    bool m_finished = false;
};

} // namespace lockstep
