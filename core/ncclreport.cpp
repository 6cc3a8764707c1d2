// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ncclreport.h"

#include <QRegularExpression>

namespace lockstep {
namespace {

constexpr qsizetype kMostValue = 400; // of bytes from outside

// `[0]eth0:10.0.0.34<0>`, or without its number since 2.8: name and address. IPv6 has colons of its own.
const QRegularExpression kInterface(QStringLiteral(R"((?:\[\d+\])?([^\s:\[\]]+):([0-9a-fA-F.:%\w]+)<\d+>)"));
const QRegularExpression kAdapter(QStringLiteral(R"(\[\d+\](\S+:\d+/\w+))"));
const QRegularExpression kVersion(QStringLiteral(R"(\b(?:NCCL|RCCL) version (\d+\.\d+[\w.+-]*))"));

QString interfacesIn(const QString& text)
{
    QStringList found;
    for (auto matches = kInterface.globalMatch(text); matches.hasNext();) {
        const auto match = matches.next();
        found.append(match.captured(1) + u' ' + match.captured(2));
    }
    return found.join(QLatin1String(", "));
}

QString adaptersIn(const QString& text)
{
    QStringList found;
    for (auto matches = kAdapter.globalMatch(text); matches.hasNext();)
        found.append(matches.next().captured(1));
    return found.join(u' ');
}

// What follows `NET/IB : ` or `NET/IB: `; empty: another topic.
QString after(const QString& line, QLatin1String topic)
{
    const qsizetype at = line.indexOf(topic);
    if (at < 0)
        return {};
    QString rest = line.mid(at + topic.size()).trimmed();
    return rest.startsWith(u':') ? rest.mid(1).trimmed() : QString();
}

} // namespace

bool NcclReport::set(const QString& name, const QString& value)
{
    const QString cut = value.left(kMostValue);
    if (cut.isEmpty() || m_facts.value(name) == cut)
        return false;
    m_facts.insert(name, cut);
    return true;
}

bool NcclReport::take(const QString& line)
{
    if (const auto version = kVersion.match(line); version.hasMatch())
        return set(QStringLiteral("nccl_version"), version.captured(1));
    const qsizetype info = line.indexOf(QLatin1String("NCCL INFO "));
    if (info < 0)
        return false;
    const QString text = line.mid(info + 10);
    if (text.startsWith(QLatin1String("Using network ")))
        return set(QStringLiteral("nccl_network"), text.mid(14).trimmed());
    if (text.startsWith(QLatin1String("Assigned NET plugin "))) // since 2.28
        return set(QStringLiteral("nccl_network"), text.mid(20).section(u' ', 0, 0));
    if (const QString said = after(text, QLatin1String("Bootstrap")); said.startsWith(QLatin1String("Using ")))
        return set(QStringLiteral("nccl_interface"), interfacesIn(said));
    if (const QString socket = after(text, QLatin1String("NET/Socket")); socket.startsWith(QLatin1String("Using ")))
        return set(QStringLiteral("nccl_interface"), interfacesIn(socket));
    const QString ib = after(text, QLatin1String("NET/IB"));
    if (ib.startsWith(QLatin1String("No device found")))
        return set(QStringLiteral("nccl_no_ib"), QStringLiteral("no device found"));
    if (ib.startsWith(QLatin1String("Using ")))
        return set(QStringLiteral("nccl_adapters"), adaptersIn(ib));
    return false;
}

QString againstPlan(const QMap<QString, QString>& report, const QString& plannedInterface)
{
    const QString said = report.value(QStringLiteral("nccl_interface"));
    if (said.isEmpty() || plannedInterface.isEmpty())
        return {};
    QStringList names;
    for (const QString& one : said.split(QLatin1String(", ")))
        names.append(one.section(u' ', 0, 0));
    if (names == QStringList{plannedInterface})
        return QStringLiteral("as planned");
    return QStringLiteral("%1, the plan says %2").arg(names.join(QLatin1String(", ")), plannedInterface);
}

} // namespace lockstep
