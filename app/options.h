// SPDX-License-Identifier: GPL-3.0-or-later
// The command line as a value. Verbs, options, exit codes and JSON fields are an interface: documented in
// docs/command-line.md.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace lockstep {

enum class Verb {
    Window,
    Demo,
    Run,
    Plan,
    Doctor,
    Deploy,
    Bundles,
    Results,
    Nodes,
    Runs,
    Show,
    Logs,
    Attach,
    Stop,
    Export,
    Screenshot
};
enum class NodesAction { List, Add, Edit, Remove, Import, Check, Accept, Runs, Clean };
enum class Sending { Direct, Relay };
enum class Results { List, Fetch };
enum class BundlesAction { List, Remove };
enum class Output { Text, Json };
enum class Follow { ToTheEnd, Detach };
enum class Show { Table, Commands }; // plan only
enum class Display { Auto, Window, Terminal };

struct Options {
    Verb verb = Verb::Window;
    Output output = Output::Text;
    QString target;  // SPEC, RUN or SEL
    QString nodes;   // --nodes
    QStringList set; // --set K=V
    Follow follow = Follow::ToTheEnd;
    Show show = Show::Table;
    Display display = Display::Auto; // demo only
    NodesAction nodesAction = NodesAction::List;
    QStringList nodeArguments;
    [[nodiscard]] QString selection() const { return nodeArguments.join(u' '); } // of nodeArguments
    BundlesAction bundlesAction = BundlesAction::List;
    QStringList bundles;               // bundles remove --bundle HASH; empty: all that are not the program's own
    Results results = Results::List;   // results --fetch
    Sending sending = Sending::Direct; // --relay
    QString fingerprint;               // nodes accept --fingerprint
    std::optional<int> rank;           // logs --rank
    int graceS = -1;                   // stop --grace; < 0: the spec's
    QString format = QStringLiteral("csv");
    QString file;   // -o
    QString folder; // --screenshot DIR
    QString scheme; // light, dark; empty: the system's
};

// A value, or the exit code to leave with after help or a message has been printed (0 for help, 2 for a mistake).
struct Parsed {
    std::optional<Options> options;
    int exitCode = 0;
};
[[nodiscard]] Parsed parseOptions(int argc, char** argv);

} // namespace lockstep
