// SPDX-License-Identifier: GPL-3.0-or-later
// A host of an Ansible inventory, by all of its variables, as a node.
#pragma once

#include "core/ansiblevariables.h"

#include <optional>

namespace lockstep {

// What is odd about variables, said once for all hosts that have it from one place.
class AnsibleComplaints {
public:
    // The sentence is `before`, the hosts ("w1 and 3 more"), `after`.
    void add(const QString& host, const AnsibleValue& at, const QString& before, const QString& after);
    void tell(ImportCollector& told) const;

private:
    struct Complaint {
        QString file;
        int line = 0;
        QString before, after;
        QString host; // the first
        int more = 0;
    };
    QList<Complaint> m_complaints;
};

struct AnsibleHost {
    QString name;
    int line = 0;
    AnsibleVariables variables; // of its groups and its own, the nearest
    QStringList groups;         // become tags
};

// None: it cannot be reached by what is known, and that is told.
[[nodiscard]] std::optional<Node> nodeOf(const AnsibleHost& host, AnsibleComplaints& complaints);

} // namespace lockstep
