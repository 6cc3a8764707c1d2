// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/launchplan.h"

#include "core/planenvironment.h"

#include <algorithm>

namespace lockstep {
namespace {

bool needsNoQuotes(const QByteArray& text)
{
    // "=" for zsh: the path of a program, for tcsh: a folder of its stack; "%self" for fish: its own process
    if (text.isEmpty() || text.startsWith('=') || text.startsWith('%'))
        return false;
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               QByteArrayView("_@%+=:,./-").contains(c);
    });
}

// That a shell can name: others could not be written as ${NAME}, and might be more than a name.
bool isShellName(const QByteArray& text)
{
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !text.isEmpty() && isLetter(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); });
}

// As bash, dash, zsh, fish and tcsh read it alike: fish takes backslashes inside single quotes, tcsh takes "!" there,
// so these stand outside. Only tcsh takes no line break in quotes, and there is no form of one that all take.
QByteArray shellQuoted(const QByteArray& text)
{
    if (needsNoQuotes(text))
        return text;
    QByteArray quoted = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\' || c == '!')
            quoted += QByteArray("'\\") + c + '\'';
        else
            quoted += c;
    }
    return quoted + '\'';
}

} // namespace

bool LaunchPlan::launchable() const
{
    return !ranks.isEmpty() && std::none_of(problems.begin(), problems.end(),
                                            [](const Problem& problem) { return problem.severity == Severity::Error; });
}

void LaunchPlan::setMasterPort(int port, const QString& source)
{
    if (overriddenEnv.contains(QLatin1String("MASTER_PORT")))
        return; // the spec's word holds
    masterPort = port;
    for (PlannedRank& rank : ranks)
        setValue(rank.env, "MASTER_PORT", QByteArray::number(port));
    for (PlannedNode& node : nodes)
        node.master = masterText(*this, node, source);
}

// What the agent gives a rank beside the job's variables (remote/agent/spawn.cpp), and nothing of the shell's own.
QByteArray LaunchPlan::command(int rank) const
{
    const auto it = std::find_if(ranks.begin(), ranks.end(), [&](const PlannedRank& one) { return one.rank == rank; });
    if (it == ranks.end() || nodes.value(it->nodeIndex).runtimeFolder.isEmpty())
        return {};
    QByteArray line = "env -i";
    for (const char* name : {"HOME", "USER", "LOGNAME", "PATH", "LANG"}) {
        if (valueOf(it->env, name).isEmpty())
            line += QByteArray(" ") + name + "=\"$" + name + "\"";
    }
    for (const auto& [name, value] : it->env) {
        if (passedEnv.contains(QString::fromUtf8(name))) { // perhaps a secret: never written out
            if (isShellName(name))
                line += ' ' + name + "=\"${" + name + "?is passed from the desktop, set it here}\"";
            continue;
        }
        // Plain names stay readable: VAR='...'; others are quoted whole.
        line += ' ' + (needsNoQuotes(name) ? name + '=' + (value.isEmpty() ? QByteArray() : shellQuoted(value))
                                           : shellQuoted(name + '=' + value));
    }
    if (!it->cpus.isEmpty())
        line += " taskset -c " + shellQuoted(it->cpus.toLatin1());
    for (const QByteArray& word : it->argv) {
        QByteArray argument = word;
        if (&word == &it->argv.first() && argument.startsWith(kBundleToken))
            argument.replace(0, qsizetype(sizeof kBundleToken) - 1, nodes[it->nodeIndex].runtimeFolder.toUtf8());
        line += ' ' + shellQuoted(argument);
    }
    return line;
}

QByteArray LaunchPlan::commands() const
{
    QByteArray all;
    for (const PlannedRank& one : ranks) {
        const QByteArray line = command(one.rank);
        all += "# rank " + QByteArray::number(one.rank) + " on " + nodes.value(one.nodeIndex).name.toUtf8() + '\n' +
               (line.isEmpty() ? QByteArray("# not known yet: where the runtime lies there") : line) + '\n';
    }
    return all;
}

Sourced masterText(const LaunchPlan& plan, const PlannedNode& node, const QString& portSource)
{
    QString address = plan.masterAddr, source = plan.masterAddrSource;
    if (node.rankCount > 0 && node.firstRank < plan.ranks.size()) {
        const QString own = QString::fromUtf8(valueOf(plan.ranks[node.firstRank].env, "MASTER_ADDR"));
        if (own != address)
            source = QStringLiteral("[node.%1.env_override]").arg(node.name);
        address = own;
    }
    if (node.masterRoundTripMs >= 0 && address == plan.masterAddr)
        source = QStringLiteral("reached, %1 ms; ").arg(QString::number(node.masterRoundTripMs, 'f', 2)) + source;
    const QString host = address.isEmpty()        ? QStringLiteral("?")
                         : address.contains(u':') ? u'[' + address + u']'
                                                  : address;
    return {plan.masterPort > 0 ? QStringLiteral("%1:%2").arg(host).arg(plan.masterPort) : host,
            portSource.isEmpty() ? source : source + QStringLiteral("; port: ") + portSource};
}

} // namespace lockstep
