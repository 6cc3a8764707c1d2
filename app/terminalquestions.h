// SPDX-License-Identifier: GPL-3.0-or-later
// A QuestionBoard whose questions are put on the controlling terminal, one after the other, hidden where they should
// be. The reading is done on the board's thread: a command may block its main thread meanwhile. Made and ended on the
// main thread.
#pragma once

#include "remote/questionboard.h"

namespace lockstep {

class TerminalPrompt;

class TerminalQuestions {
public:
    TerminalQuestions();
    ~TerminalQuestions();
    TerminalQuestions(const TerminalQuestions&) = delete;
    TerminalQuestions& operator=(const TerminalQuestions&) = delete;

    [[nodiscard]] static bool hasTerminal(); // else nobody can be asked
    [[nodiscard]] QuestionBoard& board() { return m_board; }

private:
    QuestionBoard m_board;
    TerminalPrompt* m_prompt; // lives on the board's thread, deleted there
};

} // namespace lockstep
