// SPDX-License-Identifier: GPL-3.0-or-later
// One question at a time on /dev/tty, read as it is typed: nothing waits. Thread: the board's.
#pragma once

#include "remote/questionboard.h"

#include <QSocketNotifier>

#include <deque>
#include <memory>
#include <termios.h>

namespace lockstep {

class TerminalPrompt : public QObject {
    Q_OBJECT

public:
    explicit TerminalPrompt(QuestionBoard& board);
    ~TerminalPrompt() override; // gives the terminal back as it was

private:
    void ask(const SignInQuestion& question);
    void withdraw(int id);
    void showNext();
    void leave(const char* last);
    void take();
    void say(const QByteArray& words) const;

    QuestionBoard& m_board;
    struct Terminal;
    std::unique_ptr<Terminal> m_terminal; // while a question stands there
    std::unique_ptr<QSocketNotifier> m_readable;
    std::deque<SignInQuestion> m_waiting;
    std::optional<SignInQuestion> m_current;
    termios m_before{};
    QByteArray m_typed; // reserved once: never copied by growing
};

} // namespace lockstep
