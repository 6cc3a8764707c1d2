// SPDX-License-Identifier: GPL-3.0-or-later
// The addresses of a node as its facts tell them, and whether a job may use them.
#pragma once

#include "core/nodefacts.h"

#include <QList>
#include <QString>

#include <array>

namespace lockstep {

struct NodeAddress {
    QString text;      // 10.0.0.11
    QString interface; // eth0
    int speedMbps = -1;
    int prefix = 0;
    bool v6 = false;
    std::array<unsigned char, 16> bytes{}; // network order; IPv4 in the first four
    QString leftOut;                       // why it can't be used; empty: usable

    [[nodiscard]] QString subnet() const; // 10.0.0.0/24
};

// In the order of the facts; text that is no address is left out with its reason.
[[nodiscard]] QList<NodeAddress> addressesOf(const NodeFacts& facts);

[[nodiscard]] bool isNumericAddress(const QString& text);
[[nodiscard]] bool isLoopbackAddress(const QString& text);

} // namespace lockstep
