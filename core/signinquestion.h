// SPDX-License-Identifier: GPL-3.0-or-later
// What has to be asked of the person at the desktop before a node lets us in. A value; made by remote/, shown by the
// window or the terminal.
#pragma once

#include <QMetaType>
#include <QString>
#include <QStringList>

namespace lockstep {

struct SignInQuestion {
    enum class Kind {
        Passphrase, // of a key file
        Password,   // of the account there
        Prompt,     // whatever the server asks (keyboard-interactive)
    };
    enum class Echo { Hidden, Shown };
    enum class Try { First, Again }; // Again: the last answer was wrong

    int id = 0; // of the board
    Kind kind = Kind::Password;
    QString node;  // the one that needs it; "jump host gate"
    QString whom;  // "~/.ssh/id_ed25519", "alice@10.0.0.11"
    QString words; // Prompt: the server's own, without control characters
    Echo echo = Echo::Hidden;
    Try attempt = Try::First;

    bool operator==(const SignInQuestion&) const = default;

    [[nodiscard]] QString text() const; // "Passphrase of ~/.ssh/id_ed25519, for gpu1"
};

} // namespace lockstep

Q_DECLARE_METATYPE(lockstep::SignInQuestion)
