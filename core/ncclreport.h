// SPDX-License-Identifier: GPL-3.0-or-later
// What NCCL says of itself in a rank's output under NCCL_DEBUG=INFO (RCCL the same): its version, whether it talks over
// InfiniBand or sockets, over which interface or adapters. Fed line by line; every other line is passed over.
#pragma once

#include <QMap>
#include <QString>

namespace lockstep {

class NcclReport {
public:
    // true: something new was said. `line` may bear a launcher's prefix.
    bool take(const QString& line);

    // Facts by the names under which they are shown: nccl_version, nccl_network (IB, Socket or a plug-in's name),
    // nccl_interface (eth0 10.0.0.34, several by commas), nccl_adapters (mlx5_0:1/RoCE ...), nccl_no_ib (why not).
    [[nodiscard]] const QMap<QString, QString>& facts() const { return m_facts; }

private:
    bool set(const QString& name, const QString& value);

    QMap<QString, QString> m_facts;
};

// The report of a rank against the interface of the plan: "as planned", or what differs; empty: NCCL said nothing of
// it.
[[nodiscard]] QString againstPlan(const QMap<QString, QString>& report, const QString& plannedInterface);

} // namespace lockstep
