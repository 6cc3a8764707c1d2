// SPDX-License-Identifier: GPL-3.0-or-later
// Options of ssh_config that change what ssh does and that Lockstep does not follow: each has a sentence, told when it
// matters. What only changes a terminal, a log or a speed is not among them.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

namespace lockstep {

struct NotHonoured {
    enum class Matters {
        WhenSigningInFails,
        WhenTheHostKeyIsRefused,
        Always,
    };

    Matters matters = Matters::Always;
    QString sentence; // "ForwardAgent yes: the agent is not forwarded, ...", without an end

    bool operator==(const NotHonoured&) const = default;
};

// A line of `ssh -G`; none: it is honoured, or of no meaning here, or set to what is done anyway.
[[nodiscard]] std::optional<NotHonoured> notHonoured(const QByteArray& key, const QString& value);

} // namespace lockstep
