// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/environmentcheck.h"

#include "core/planenvironment.h"
#include "core/wire/runtag.h"

namespace lockstep {
namespace {

// The agent tags ranks with these to find them again: not even an override may touch them.
bool isTag(const QByteArray& name)
{
    return name == wire::kRunVariable || name == wire::kRunFolderVariable || name == wire::kAttemptVariable;
}

void checkEntry(QList<Problem>& problems, const QByteArray& name, const QByteArray& value, const QString& table)
{
    const auto refuse = [&](const QString& title, const QString& detail) {
        problems.append({Severity::Error, {}, title, detail});
    };
    if (name.isEmpty() || name.contains('=') || name.contains('\0') || name.startsWith('-'))
        refuse(QStringLiteral("\"%1\" can't be a variable's name").arg(shownVariable(name)),
               QStringLiteral(
                   "It stands in [%1]. A name is not empty, holds no \"=\" and no NUL, and does not begin with \"-\".")
                   .arg(table));
    else if (isTag(name))
        refuse(QStringLiteral("%1 is Lockstep's own tag").arg(shownVariable(name)),
               QStringLiteral("By it a run's processes are found again; take it out of [%1].").arg(table));
    if (value.contains('\0'))
        refuse(QStringLiteral("The variable %1 holds a NUL byte").arg(shownVariable(name)),
               QStringLiteral("No program can be given one: the system ends a variable there. Take it out of [%1].")
                   .arg(table));
    if (name.size() + 1 + value.size() > kMaxArgumentBytes)
        refuse(QStringLiteral("The variable %1 is longer than 128 KiB").arg(shownVariable(name)),
               QStringLiteral("It has %1 bytes, and the system starts no program with more than 131,071 in one. Put "
                              "the text into a file.")
                   .arg(value.size()));
}

void checkArgument(QList<Problem>& problems, const QByteArray& value, const QString& which)
{
    if (value.contains('\0'))
        problems.append({Severity::Error,
                         {},
                         QStringLiteral("%1 holds a NUL byte").arg(which),
                         QStringLiteral("No program can be given one: the system ends an argument there.")});
    if (value.size() > kMaxArgumentBytes)
        problems.append({Severity::Error,
                         {},
                         QStringLiteral("%1 is longer than 128 KiB").arg(which),
                         QStringLiteral("It has %1 bytes, and the system starts no program with more than 131,071 in "
                                        "one. Put the text into a file.")
                             .arg(value.size())});
}

void checkEnvironments(QList<Problem>& problems, const Environment& env, const Environment& over, const QString& prefix)
{
    for (const auto& [name, value] : env) {
        checkEntry(problems, name, value, prefix + QStringLiteral("env"));
        if (isOwnVariable(name))
            problems.append({Severity::Error,
                             {},
                             QStringLiteral("%1 is set by Lockstep").arg(shownVariable(name)),
                             QStringLiteral("The plan gives it a value for each rank. If yours is meant, write it in "
                                            "[%1env_override] instead of [%1env]; the plan then shows it.")
                                 .arg(prefix)});
    }
    for (const auto& [name, value] : over)
        checkEntry(problems, name, value, prefix + QStringLiteral("env_override"));
}

} // namespace

QString shownVariable(const QByteArray& name)
{
    constexpr qsizetype kShown = 60;
    QString text = QString::fromUtf8(name.left(kShown));
    text.replace(QChar(0), QStringLiteral("\\0"));
    return text;
}

QList<Problem> checkEnvironment(const RunSpec& spec)
{
    QList<Problem> problems;
    checkEnvironments(problems, spec.env, spec.envOverride, {});
    for (const NodeSettings& one : spec.nodeSettings)
        checkEnvironments(problems, one.env, one.envOverride, QStringLiteral("node.%1.").arg(one.node));
    for (const TrainerOption& option : spec.trainer)
        checkArgument(problems, option.value, QStringLiteral("The option %1").arg(option.name));
    for (qsizetype i = 0; i < spec.arguments.size(); ++i)
        checkArgument(problems, spec.arguments[i],
                      QStringLiteral("Argument %1 (\"%2\")").arg(i + 1).arg(shownVariable(spec.arguments[i].left(20))));
    return problems;
}

} // namespace lockstep
