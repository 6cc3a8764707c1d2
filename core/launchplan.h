// SPDX-License-Identifier: GPL-3.0-or-later
// The plan: what will be started, per rank, and why. Pure: facts in, table out; nothing is asked of any node here.
#pragma once

#include "core/clockoffset.h"
#include "core/hostkey.h"
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
    Sourced cpus;      // "0–3: 0-31 · 4–7: 32-63", "by local rank; ..."
    Sourced master;    // "10.1.0.11:29417"
    Sourced interface; // "ens1f0", "has 10.1.0.11, 100 Gb/s"
    Sourced backend;
    Sourced runtime;               // "cpu bundle", "98 MB to send" – filled in by the launcher when it knows
    Sourced clock;                 // "+0.4 ms", "± 0.1 ms against this machine, 12:02:10"
    QString runtimeFolder;         // on the node, what kBundleToken stands for; empty: not known yet
    double masterRoundTripMs = -1; // measured to the master's address; -1: not measured
    QList<ReachTry> reach;

    bool operator==(const PlannedNode&) const = default;
};

struct PlannedRank {
    int rank = 0;
    int localRank = 0;
    int nodeIndex = 0;      // into LaunchPlan::nodes
    QString device;         // "cpu", "gpu:UUID"
    QString cpus;           // 0-15,32-47: it keeps to these; empty: all
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
    QStringList passedEnv;     // variables of the desktop that the spec lets through; their values are not stored
    QStringList droppedEnv;    // launch variables of the desktop that reach no rank
    QList<Problem> problems;

    bool operator==(const LaunchPlan&) const = default;

    [[nodiscard]] bool launchable() const; // no Problem is an Error
    bool shareDevices = false;             // the user wants devices that another run holds

    // The port is known only once the master has been asked: writes it into every rank's environment and every node's
    // table row.
    void setMasterPort(int port, const QString& source);
    // A line for a shell on the rank's node that starts exactly this rank by hand, with nothing else in its environment
    // than the agent would give it: bash, dash, zsh or fish; tcsh, if no word has a line break; where the spec passes
    // variables of the desktop on, a POSIX shell. Empty: no such rank, or its node's runtimeFolder is not known.
    [[nodiscard]] QByteArray command(int rank) const;
    [[nodiscard]] QByteArray commands() const; // of every rank, a comment with its node before each
    [[nodiscard]] QByteArray toToml() const;   // runs/ID/plan.toml
    [[nodiscard]] static Result<LaunchPlan> parse(const QByteArray& toml);
};

// "10.1.0.11:29417", "[fd00::1]:29417", without a port while it is 0: what the node's ranks are told, by their own
// environment. From "reached, 0.08 ms; the fastest subnet all share ...; port: free on gpu1".
[[nodiscard]] Sourced masterText(const LaunchPlan& plan, const PlannedNode& node, const QString& portSource);

struct Reached { // what a node found when it tried one of the master's addresses
    QString address;
    double roundTripMs = -1; // -1: it was not reached
    QString from;            // the node's own address on that way
    QString interface;       // and its interface
    QString why;             // it was not reached

    bool operator==(const Reached&) const = default;
};

struct PlanNode {
    Node node;
    std::optional<NodeFacts> facts{}; // none: not probed yet, and the table says so
    ClockOffset clock{};              // against this machine
    QList<Reached> reached{};         // empty: not tried yet (and always of the master)
    std::optional<HostKey> hostKey{}; // the one it showed
};

// The addresses of the first node that are worth trying from the others, the likeliest first; none while unprobed.
[[nodiscard]] QStringList masterCandidates(const RunSpec& spec, const QList<PlanNode>& nodes);

// `desktopEnv`: the desktop's own environment, only to say what was dropped.
[[nodiscard]] LaunchPlan makePlan(const RunSpec& spec, const QList<PlanNode>& nodes, const Environment& desktopEnv);

} // namespace lockstep
