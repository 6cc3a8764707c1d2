// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that go between the desktop's side of the cluster and each host, as the kernel counts them: IP packets whole,
// of the desktop's connections only, not what the hosts say to one another.
#pragma once

#include <QHash>
#include <QStringList>

namespace lockstep::test {

class CableCount {
public:
    struct Bytes {
        qint64 sent = 0, received = 0; // by the desktop
    };

    explicit CableCount(const QStringList& hosts); // n1, n2, ...
    ~CableCount();

    void reset();
    [[nodiscard]] Bytes of(const QString& host) const;
};

} // namespace lockstep::test
