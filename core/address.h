// SPDX-License-Identifier: GPL-3.0-or-later
// Where ssh connects to, in every form a person writes: gpu1, alice@gpu1, 10.0.0.11:2222, [2001:db8::9]:2222,
// 2001:db8::9, ssh://...
#pragma once

#include "core/error.h"

#include <QString>

namespace lockstep {

struct Address {  // what ssh takes
    QString user; // empty: ssh's default
    QString host; // IPv6 without brackets
    int port = 0; // 0: ssh's default

    bool operator==(const Address&) const = default;
    [[nodiscard]] QString text() const; // parse(text()) is the same address
    [[nodiscard]] static Result<Address> parse(const QString& text);
};

// A port as a person writes it: plain digits, 1 to 65535. `what` begins the sentence of an error.
[[nodiscard]] Result<int> parsePortDigits(const QString& text, const QString& what);

} // namespace lockstep
