// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/terminalquestions.h"

#include "app/terminalprompt.h"
#include "remote/descriptor.h"

#include <fcntl.h>

namespace lockstep {

TerminalQuestions::TerminalQuestions() : m_prompt(new TerminalPrompt(m_board))
{
    m_prompt->moveToThread(&m_board.workThread());
}

TerminalQuestions::~TerminalQuestions()
{
    m_prompt->deleteLater();
}

bool TerminalQuestions::hasTerminal()
{
    const Descriptor terminal(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    return terminal && tcgetpgrp(terminal.get()) == getpgrp(); // in the background a read would stop us
}

} // namespace lockstep
