// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/options.h"

#include "app/answer.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {
namespace {

// What CLI11 fills; bytes as they came.
struct Raw {
    std::string target, nodes, fingerprint, format = "csv", file, folder, scheme;
    std::vector<std::string> set, words, bundles;
    bool relay = false;
    bool fetch = false;
    bool commands = false, json = false, detach = false, window = false, terminal = false;
    int rank = -1;
    int grace = -1;
};

QStringList texts(const std::vector<std::string>& words)
{
    QStringList list;
    for (const auto& word : words)
        list << QString::fromStdString(word);
    return list;
}

void addSpecOptions(CLI::App& verb, Raw& raw)
{
    verb.add_option("--nodes", raw.nodes, "which nodes: gpu1, gpu[1-4], @tag, a !b");
    verb.add_option("--set", raw.set, "K=V: change a value of the spec; lr=0.1, nodes=gpu1, env.X=1")
        ->allow_extra_args(false);
}

void addRelay(CLI::App& verb, Raw& raw)
{
    verb.add_flag("--relay", raw.relay, "send to one node, and let nodes pass it on to each other");
}

void addRunOptions(CLI::App& verb, Raw& raw)
{
    addSpecOptions(verb, raw);
    verb.add_flag("--detach", raw.detach, "launch, print the run's id and leave it to the nodes");
    addRelay(verb, raw);
}

class Builder {
public:
    Builder(CLI::App& app, Raw& raw, Options& options) : m_app(app), m_raw(raw), m_options(options) {}

    CLI::App& verb(const std::string& name, const std::string& help, Verb verb)
    {
        CLI::App* sub = m_app.add_subcommand(name, help);
        sub->add_flag("--json", m_raw.json, "one JSON value on stdout");
        sub->callback([&options = m_options, verb] { options.verb = verb; });
        return *sub;
    }

    void nodesAction(CLI::App& nodes, const std::string& name, const std::string& help, NodesAction action,
                     const char* words)
    {
        CLI::App* sub = nodes.add_subcommand(name, help);
        sub->add_flag("--json", m_raw.json, "one JSON value on stdout");
        if (words) {
            auto* option = sub->add_option(words, m_raw.words, help);
            if (action != NodesAction::Check && action != NodesAction::List && action != NodesAction::Runs &&
                action != NodesAction::Clean)
                option->required();
        }
        if (action == NodesAction::Accept)
            sub->add_option("--fingerprint", m_raw.fingerprint,
                            "SHA256:... as the node's console shows it; else all are listed and asked for once");
        sub->callback([&options = m_options, action] { options.nodesAction = action; });
    }

    void bundlesAction(CLI::App& bundles, const std::string& name, const std::string& help, BundlesAction action)
    {
        CLI::App* sub = bundles.add_subcommand(name, help);
        sub->add_flag("--json", m_raw.json, "one JSON value on stdout");
        sub->add_option("SEL", m_raw.words, "which nodes");
        if (action == BundlesAction::Remove)
            sub->add_option("--bundle", m_raw.bundles, "this one, by its hash or the beginning of it");
        sub->callback([&options = m_options, action] { options.bundlesAction = action; });
    }

private:
    CLI::App& m_app;
    Raw& m_raw;
    Options& m_options;
};

void build(CLI::App& app, Raw& raw, Options& options)
{
    Builder builder(app, raw, options);
    app.add_option("--screenshot", raw.folder, "render every page into this folder and leave");
    app.add_option("--run", raw.target, "with --screenshot: of this run; else of a demo run now");
    app.add_option("--scheme", raw.scheme, "light or dark; else the system's")->check(CLI::IsMember({"light", "dark"}));

    auto& demo = builder.verb("demo", "train a small network on Fashion-MNIST, two ranks on this machine", Verb::Demo);
    addRunOptions(demo, raw);
    demo.add_flag("--window", raw.window, "in a window (the default where there is a display)");
    demo.add_flag("--terminal", raw.terminal, "on the command line (the default where there is none)");

    auto& run = builder.verb("run", "launch a spec and follow it to its end", Verb::Run);
    run.add_option("SPEC", raw.target, "the spec, a TOML file")->required();
    addRunOptions(run, raw);

    auto& plan = builder.verb("plan", "the launch table of a spec; nothing is started", Verb::Plan);
    plan.add_option("SPEC", raw.target, "the spec, a TOML file")->required();
    addSpecOptions(plan, raw);
    plan.add_flag("--commands", raw.commands, "one shell line a rank, to be pasted on its node");

    auto& deploy = builder.verb("deploy", "put what runs need on nodes, ahead of a launch", Verb::Deploy);
    deploy.add_option("SPEC|SEL", raw.target, "a spec, or a selection of nodes; all nodes without one");
    addSpecOptions(deploy, raw);
    addRelay(deploy, raw);

    auto& bundles = builder.verb("bundles", "what was deployed to nodes", Verb::Bundles);
    bundles.require_subcommand(0, 1);
    builder.bundlesAction(bundles, "list", "the bundles on nodes (a selection; all nodes without one)",
                          BundlesAction::List);
    builder.bundlesAction(bundles, "remove", "remove bundles that no run uses; all old ones without --bundle",
                          BundlesAction::Remove);

    auto& doctor = builder.verb("doctor", "preflight: of a spec, or of the nodes alone", Verb::Doctor);
    doctor.add_option("SPEC|SEL", raw.target, "a spec (a TOML file) or a selection of the inventory; else all nodes");
    addSpecOptions(doctor, raw);

    auto& nodes = builder.verb("nodes", "the inventory", Verb::Nodes);
    nodes.require_subcommand(0, 1);
    builder.nodesAction(nodes, "list", "the nodes of the inventory (a selection; all without one)", NodesAction::List,
                        "SEL");
    builder.nodesAction(nodes, "add", "gpu1, alice@10.0.0.11:2222, an alias of ~/.ssh/config, gpu[1-8]",
                        NodesAction::Add, "NODE");
    builder.nodesAction(nodes, "edit",
                        "a selection, then KEY=VALUE...: tags=h100,rack3 tags+=new slots=8 key=~/.ssh/id",
                        NodesAction::Edit, "SEL");
    builder.nodesAction(nodes, "remove", "a selection to remove: names, gpu[1-4], @tag", NodesAction::Remove, "SEL");
    builder.nodesAction(nodes, "import", "a hostfile of any dialect, Slurm's or Ansible's lists, or ~/.ssh/config",
                        NodesAction::Import, "FILE");
    builder.nodesAction(nodes, "check", "connect and measure (a selection; all without one)", NodesAction::Check,
                        "SEL");
    builder.nodesAction(nodes, "runs", "runs of yours on the nodes, whichever desktop launched them", NodesAction::Runs,
                        "SEL");
    builder.nodesAction(nodes, "clean", "end processes of runs that nobody looks after any more", NodesAction::Clean,
                        "SEL");
    builder.nodesAction(nodes, "accept", "trust host keys that you have compared", NodesAction::Accept, "SEL");

    builder.verb("runs", "all runs, newest first", Verb::Runs);
    auto& show = builder.verb("show", "how a run stands, rank by rank", Verb::Show);
    auto& logs = builder.verb("logs", "what the ranks wrote", Verb::Logs);
    logs.add_option("--rank", raw.rank, "only this rank")->check(CLI::Range(0, std::numeric_limits<int>::max()));
    auto& attach = builder.verb("attach", "follow a run that goes on", Verb::Attach);
    attach.add_flag("--detach", raw.detach, "fetch what there is and leave");
    auto& stop = builder.verb("stop", "stop a run and prove that nothing of it is left", Verb::Stop);
    stop.add_option("--grace", raw.grace, "seconds between TERM and KILL")->check(CLI::Range(0, 3600));
    auto& exported = builder.verb(
        "export", "every point of every metric (csv, csv-wide), or the curves as a picture (png)", Verb::Export);
    exported.add_option("--format", raw.format, "csv, csv-wide or png")
        ->check(CLI::IsMember({"csv", "csv-wide", "png"}));
    exported.add_option("-o,--output", raw.file, "the file to write")->required();
    for (auto* verb : {&attach, &stop})
        verb->add_option("--nodes", raw.nodes, "a run that another desktop launched, on these nodes");
    auto& results = builder.verb("results", "the files that were fetched of a run, and where they lie", Verb::Results);
    results.add_flag("--fetch", raw.fetch, "fetch what is missing here first, of every node that answers");
    for (auto* verb : {&show, &logs, &attach, &stop, &exported, &results})
        verb->add_option("RUN", raw.target, "an id, its beginning, #12, a name, or last")->required();
}

void copy(const Raw& raw, Options& options)
{
    options.output = raw.json ? Output::Json : Output::Text;
    options.follow = raw.detach ? Follow::Detach : Follow::ToTheEnd;
    options.show = raw.commands ? Show::Commands : Show::Table;
    options.display = raw.window                               ? Display::Window
                      : raw.terminal || raw.json || raw.detach ? Display::Terminal
                                                               : Display::Auto;
    options.target = QString::fromStdString(raw.target);
    options.nodes = QString::fromStdString(raw.nodes);
    options.set = texts(raw.set);
    options.nodeArguments = texts(raw.words);
    options.bundles = texts(raw.bundles);
    options.results = raw.fetch ? Results::Fetch : Results::List;
    options.sending = raw.relay ? Sending::Relay : Sending::Direct;
    options.fingerprint = QString::fromStdString(raw.fingerprint);
    options.rank = raw.rank < 0 ? std::nullopt : std::optional(raw.rank);
    options.graceS = raw.grace;
    options.format = QString::fromStdString(raw.format);
    options.file = QString::fromStdString(raw.file);
    options.folder = QString::fromStdString(raw.folder);
    options.scheme = QString::fromStdString(raw.scheme);
    if (!options.folder.isEmpty() && options.verb == Verb::Window)
        options.verb = Verb::Screenshot;
}

// What could not be parsed may have asked for JSON all the same.
bool asksForJson(int argc, char** argv)
{
    return std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

} // namespace

Parsed parseOptions(int argc, char** argv)
{
    CLI::App app("Launches one training job on many machines over plain SSH and shows every rank live.\n"
                 "Without a verb: the window.",
                 "lockstep");
    app.set_version_flag("--version", LOCKSTEP_VERSION);
    app.require_subcommand(0, 1);
    app.fallthrough(false);
    Raw raw;
    Options options;
    build(app, raw, options);
    try { // CLI11 reports by exceptions; they end here
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) // help, version
            return {std::nullopt, app.exit(error)};
        if (asksForJson(argc, argv))
            return {std::nullopt, leave({ErrorCode::BadInput, QString::fromUtf8(error.what()), {}}, Output::Json)};
        app.exit(error);
        return {std::nullopt, kExitBadInput};
    }
    copy(raw, options);
    return {options, 0};
}

} // namespace lockstep
