// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/terminalprompt.h"

#include "remote/descriptor.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>

namespace lockstep {
namespace {

constexpr qsizetype kMostTyped = 4096; // a line of a terminal has no more
constexpr char kInterrupt = 3;         // Ctrl-C

} // namespace

struct TerminalPrompt::Terminal {
    Descriptor descriptor;
    [[nodiscard]] int get() const { return descriptor.get(); }
};

TerminalPrompt::TerminalPrompt(QuestionBoard& board) : m_board(board)
{
    connect(&board, &QuestionBoard::asked, this, &TerminalPrompt::ask);
    connect(&board, &QuestionBoard::withdrawn, this, &TerminalPrompt::withdraw);
}

TerminalPrompt::~TerminalPrompt()
{
    leave("\n");
}

void TerminalPrompt::ask(const SignInQuestion& question)
{
    m_waiting.push_back(question);
    showNext();
}

void TerminalPrompt::withdraw(int id)
{
    std::erase_if(m_waiting, [id](const SignInQuestion& waiting) { return waiting.id == id; });
    if (m_current && m_current->id == id) {
        leave("\n");
        showNext();
    }
}

void TerminalPrompt::showNext()
{
    if (m_current || m_waiting.empty())
        return;
    m_current = m_waiting.front();
    m_waiting.pop_front();
    m_terminal = std::make_unique<Terminal>(Descriptor(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)));
    if (!m_terminal->descriptor || tcgetattr(m_terminal->get(), &m_before) != 0) {
        m_terminal.reset();
        m_board.decline(std::exchange(m_current, std::nullopt)->id);
        return showNext();
    }
    termios now = m_before;
    if (m_current->echo == SignInQuestion::Echo::Hidden)
        now.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    // Ctrl-C comes to us as the end of a line: who is ended by the signal would leave the terminal without echo.
    now.c_lflag &= ~static_cast<tcflag_t>(ISIG);
    now.c_cc[VEOL] = kInterrupt;
    tcsetattr(m_terminal->get(), TCSAFLUSH, &now);
    m_typed.reserve(kMostTyped);
    m_readable = std::make_unique<QSocketNotifier>(m_terminal->get(), QSocketNotifier::Read);
    connect(m_readable.get(), &QSocketNotifier::activated, this, &TerminalPrompt::take);
    say("\r" + m_current->text().toUtf8() + " (empty: none): ");
}

void TerminalPrompt::take()
{
    char byte = 0;
    ssize_t got = 0;
    while ((got = read(m_terminal->get(), &byte, 1)) == 1 && byte != '\n' && byte != kInterrupt)
        if (m_typed.size() < kMostTyped)
            m_typed += byte;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    const int id = m_current->id;
    if (got == 1 && byte == kInterrupt) {
        m_board.decline(id);
        leave("\n");
        kill(0, SIGINT); // as the terminal would have
        return;
    }
    if (got == 1 && !m_typed.isEmpty())
        m_board.answer(id, Secret(QByteArray(m_typed.constData(), m_typed.size())));
    else
        m_board.decline(id);
    leave(m_current->echo == SignInQuestion::Echo::Hidden ? "\n" : "");
    showNext();
}

void TerminalPrompt::leave(const char* last)
{
    if (!m_terminal)
        return;
    say(last);
    tcsetattr(m_terminal->get(), TCSAFLUSH, &m_before);
    m_readable.reset();
    m_terminal.reset();
    m_current.reset();
    explicit_bzero(m_typed.data(), static_cast<std::size_t>(m_typed.size()));
    m_typed.resize(0);
}

void TerminalPrompt::say(const QByteArray& words) const
{
    for (qsizetype said = 0; said < words.size();) {
        const ssize_t now =
            write(m_terminal->get(), words.constData() + said, static_cast<std::size_t>(words.size() - said));
        if (now <= 0)
            return; // a terminal that takes nothing shows nothing
        said += now;
    }
}

} // namespace lockstep
