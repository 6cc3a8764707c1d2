// SPDX-License-Identifier: GPL-3.0-or-later
// The plan: what will be started, per rank, and why. Pure: facts in, table out; nothing is asked of any node here.
#pragma once

#include "core/inventory.h"
#include "core/nodefacts.h"
#include "core/runspec.h"

#include <optional>

namespace lockstep {

struct Sourced { // a value of the launch table and where it comes from
    QString value;
    QString source;

    bool operator==(const Sourced&) const = default;
};

struct ReachTry {    // one way to the master that was tried or left out
    QString address; // 10.1.0.11:29417, or an address without port
    QString result;  // "reached from gpu2, 0.08 ms"; "loopback"
    QString detail;  // "ens1f0, 100 Gb/s"; "skipped"

    bool operator==(const ReachTry&) const = default;
};

enum class Severity { Note, Warning, Error }; // an Error stops a launch

struct Problem {
    Severity severity = Severity::Warning;
    QString node;
    QString title;  // one sentence, shown in 500
    QString detail; // what is known and what to do

    bool operator==(const Problem&) const = default;
};

struct PlannedNode {
    QString name;
    QString address; // as in the inventory
    bool local = false;
    Sourced nodeRank;
    int firstRank = 0;
    int rankCount = 0;
    Sourced ranks;     // "0–7", "8 a node"
    Sourced devices;   // "0–7", "8 × H100, all idle"; "CPU", "2 cores, 1 thread a rank"
    Sourced master;    // "10.1.0.11:29417"
    Sourced interface; // "ens1f0", "has 10.1.0.11, 100 Gb/s"
    Sourced backend;
    Sourced runtime; // "cpu bundle", "98 MB to send" – filled in by the launcher when it knows
    QList<ReachTry> reach;

    bool operator==(const PlannedNode&) const = default;
};

struct PlannedRank {
    int rank = 0;
    int localRank = 0;
    int nodeIndex = 0;      // into LaunchPlan::nodes
    QString device;         // "cpu", "gpu:UUID"
    QList<QByteArray> argv; // argv[0] starts with kBundleToken
    Environment env;

    bool operator==(const PlannedRank&) const = default;
};

// Stands for the bundle's folder on the node in argv[0] until it is deployed there.
inline constexpr char kBundleToken[] = "@bundle@";

struct LaunchPlan {
    QList<PlannedNode> nodes;
    QList<PlannedRank> ranks;
    QString masterAddr; // numeric; loopback only when one node takes part
    int masterPort = 0; // 0: to be chosen on the master by the launcher
    int worldSize = 0;
    Backend backend = Backend::Gloo;
    QString masterAddrSource;
    QStringList overriddenEnv; // names of the spec's [env_override]: theirs is the value in every rank's env
    QStringList droppedEnv;    // launch variables of the desktop that reach no rank
    QList<Problem> problems;

    bool operator==(const LaunchPlan&) const = default;

    [[nodiscard]] bool launchable() const; // no Problem is an Error
    // The port is known only once the master has been asked: writes it into every rank's environment and every node's
    // table row.
    void setMasterPort(int port, const QString& source);
    // A line for a POSIX shell that starts exactly this rank by hand; bundleFolder stands where kBundleToken stood.
    [[nodiscard]] QByteArray command(int rank, const QByteArray& bundleFolder) const;
    [[nodiscard]] QByteArray toToml() const; // runs/ID/plan.toml
    [[nodiscard]] static Result<LaunchPlan> parse(const QByteArray& toml);
};

// "10.1.0.11:29417", "[fd00::1]:29417", without a port while it is 0.
[[nodiscard]] Sourced masterText(const QString& address, int port, const QString& source);

struct PlanNode {
    Node node;
    std::optional<NodeFacts> facts; // none: not probed yet, and the table says so
};

// `desktopEnv`: the desktop's own environment, only to say what was dropped.
[[nodiscard]] LaunchPlan makePlan(const RunSpec& spec, const QList<PlanNode>& nodes, const Environment& desktopEnv);

} // namespace lockstep
