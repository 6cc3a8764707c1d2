// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes as small text pictures for the plan's tests: "gpu1 8xH100 | lo 127.0.0.1/8 | eth0 10.0.0.11/24 1000".
#pragma once

#include "core/launchplan.h"

namespace lockstep::test {

// name[*slots] [NxMODEL] [Ncores], then interfaces: name address... [Mb/s] [down]; "name ?" is a node without facts.
inline PlanNode node(const QString& picture)
{
    PlanNode planned;
    const QStringList parts = picture.split(u'|');
    QStringList words = parts[0].split(u' ', Qt::SkipEmptyParts);
    const QString name = words.takeFirst();
    planned.node.name = name.section(u'*', 0, 0);
    planned.node.slots_ = name.section(u'*', 1).toInt();
    planned.node.address.host = planned.node.name;
    if (words.contains(QStringLiteral("?")))
        return planned;
    NodeFacts facts;
    facts.host = planned.node.name;
    facts.bootId = QStringLiteral("boot-") + planned.node.name;
    facts.cores = 2;
    for (const QString& word : std::as_const(words)) {
        if (word.endsWith(QLatin1String("cores")))
            facts.cores = word.chopped(5).toInt();
        for (int i = 0; word.contains(u'x') && i < word.section(u'x', 0, 0).toInt(); ++i) {
            DeviceFacts device;
            device.index = i;
            device.uuid = QStringLiteral("GPU-%1-%2").arg(planned.node.name).arg(i);
            device.name = word.section(u'x', 1);
            facts.devices.append(device);
        }
    }
    for (qsizetype i = 1; i < parts.size(); ++i) {
        NetInterface interface;
        interface.up = true;
        const QStringList fields = parts[i].split(u' ', Qt::SkipEmptyParts);
        interface.name = fields[0];
        interface.loopback = interface.name == QLatin1String("lo");
        for (const QString& field : fields.mid(1)) {
            if (field == QLatin1String("down"))
                interface.up = false;
            else if (field.contains(u'/'))
                interface.addresses.append(field);
            else
                interface.speedMbps = field.toInt();
        }
        facts.interfaces.append(interface);
    }
    planned.facts = facts;
    return planned;
}

inline QList<PlanNode> nodes(const QStringList& pictures)
{
    QList<PlanNode> list;
    for (const QString& picture : pictures)
        list.append(node(picture));
    return list;
}

} // namespace lockstep::test
