// SPDX-License-Identifier: GPL-3.0-or-later
// The part of signing in that a person has a say in: the server's own questions, passwords, passphrases.
#include "remote/sshshared.h"
#include "remote/sshsignin.h"

namespace lockstep {

namespace {

constexpr int kPassphraseTries = 3;
constexpr int kPrompts = 16;            // of a server in one round
constexpr qsizetype kPromptWords = 400; // shown of what a server says

// The server's words: nothing in them may move the cursor or pass for ours.
QString shownWords(const char* text)
{
    QString words = QString::fromUtf8(text == nullptr ? "" : text).simplified().left(kPromptWords);
    words.removeIf([](QChar c) { return !c.isPrint(); });
    return words;
}

} // namespace

SshSignIn::Step SshSignIn::answerPrompts(ConnectingSession& session, const std::function<void()>& asking,
                                         Deadline& deadline, const std::stop_token& stop)
{
    if (!canAsk()) {
        m_report.nobodyToAsk(QStringLiteral("what the server wants to know"));
        m_promptsOver = true;
        return std::nullopt;
    }
    ssh_session raw = session.get();
    bool prompted = false;
    for (;;) {
        const auto answer = session.finish(
            SSH_AUTH_AGAIN, [raw] { return ssh_userauth_kbdint(raw, nullptr, nullptr); }, deadline, stop);
        if (!answer && answer.error().code != ErrorCode::ConnectionLost)
            return std::unexpected(answer.error());
        if (!answer || *answer == SSH_AUTH_ERROR) // its patience with a person ended (LoginGraceTime)
            return ++m_wrongAnswers < m_host.passwordPrompts ? Step(Outcome::NeedsAnotherConnection) : hungUp(session);
        if (*answer == SSH_AUTH_SUCCESS) {
            m_with = QStringLiteral("answers to its questions");
            return Outcome::SignedIn;
        }
        if (*answer != SSH_AUTH_INFO) {
            m_promptsOver = *answer == SSH_AUTH_PARTIAL || !prompted || ++m_wrongAnswers >= m_host.passwordPrompts;
            if (prompted && *answer != SSH_AUTH_PARTIAL)
                m_report.tried(QStringLiteral("answers to its questions (refused)"));
            return std::nullopt;
        }
        if (auto needed = checkNeeded(); !needed)
            return std::unexpected(needed.error());
        asking();
        prompted = prompted || ssh_userauth_kbdint_getnprompts(raw) > 0;
        const auto answered = answerRound(session, deadline, stop);
        if (!answered)
            return std::unexpected(answered.error());
        if (!*answered) {
            m_promptsOver = true;
            m_report.tried(QStringLiteral("its questions (not answered)"));
            return Outcome::NeedsAnotherConnection;
        }
    }
}

// False: the person does not want to.
Result<bool> SshSignIn::answerRound(ConnectingSession& session, Deadline& deadline, const std::stop_token& stop)
{
    ssh_session raw = session.get();
    const int prompts = ssh_userauth_kbdint_getnprompts(raw);
    if (prompts > kPrompts)
        return failure(ErrorCode::Protocol, QStringLiteral("%1 asks %2 things at once.").arg(m_node).arg(prompts),
                       m_node);
    const QString name = shownWords(ssh_userauth_kbdint_getname(raw)),
                  instruction = shownWords(ssh_userauth_kbdint_getinstruction(raw));
    for (unsigned i = 0; i < static_cast<unsigned>(std::max(prompts, 0)); ++i) {
        char echo = 0;
        SignInQuestion question;
        question.kind = SignInQuestion::Kind::Prompt;
        const QString prompt = shownWords(ssh_userauth_kbdint_getprompt(raw, i, &echo));
        question.words = QStringList{name, instruction, prompt}.join(u' ').simplified();
        question.echo = echo != 0 ? SignInQuestion::Echo::Shown : SignInQuestion::Echo::Hidden;
        question.attempt = m_wrongAnswers > 0 ? SignInQuestion::Try::Again : SignInQuestion::Try::First;
        const auto secret = ask(question, deadline, stop);
        if (stop.stop_requested())
            return failure(ErrorCode::Stopped, QStringLiteral("Connecting to %1 was stopped.").arg(m_node), m_node);
        if (!secret)
            return false;
        ssh_userauth_kbdint_setanswer(raw, i, secret->text());
        m_by = By::Person;
    }
    return true;
}

SshSignIn::Step SshSignIn::sendPassword(ConnectingSession& session, Deadline deadline, const std::stop_token& stop)
{
    if (!canAsk()) {
        m_report.nobodyToAsk(QStringLiteral("a password"));
        m_passwordOver = true;
        return std::nullopt;
    }
    if (!m_password) {
        m_wantsPassword = true;
        return Outcome::NeedsAnotherConnection;
    }
    const auto answer = session.finish(
        SSH_AUTH_AGAIN, [&] { return ssh_userauth_password(session.get(), nullptr, m_password->text()); }, deadline,
        stop);
    m_password.reset(); // used
    m_by = By::Person;
    if (!answer)
        return std::unexpected(answer.error());
    switch (*answer) {
    case SSH_AUTH_SUCCESS:
        m_with = QStringLiteral("a password");
        return Outcome::SignedIn;
    case SSH_AUTH_ERROR:
        return hungUp(session);
    case SSH_AUTH_PARTIAL:
        m_report.tried(QStringLiteral("a password (accepted, but the server wants more)"));
        m_passwordOver = true;
        return std::nullopt;
    default:
        m_report.tried(QStringLiteral("a password (refused)"));
        m_passwordOver = ++m_wrongPasswords >= m_host.passwordPrompts;
        return std::nullopt;
    }
}

SshSignIn::Step SshSignIn::hungUp(ConnectingSession& session) const
{
    return failure(ErrorCode::ConnectionLost,
                   QStringLiteral("%1 closed the connection while signing in: %2").arg(m_node, session.libraryError()),
                   m_node);
}

std::optional<Secret> SshSignIn::ask(SignInQuestion question, Deadline& deadline, const std::stop_token& stop) const
{
    const auto begin = std::chrono::steady_clock::now();
    question.node = m_node;
    if (question.whom.isEmpty()) {
        question.whom = QStringLiteral("%1@%2").arg(m_host.user, m_host.hostName);
        if (m_host.port != 22)
            question.whom += QStringLiteral(" port %1").arg(m_host.port);
    }
    auto secret = m_settings.ask(question, stop);
    deadline = later(deadline, std::chrono::steady_clock::now() - begin);
    return secret;
}

Result<void> SshSignIn::checkNeeded() const
{
    if (m_needed())
        return {};
    return failure(ErrorCode::ConnectionLost,
                   QStringLiteral("%1 was heard again before another connection stood.").arg(m_node), m_node);
}

Result<void> SshSignIn::askPerson(Deadline& deadline, const std::stop_token& stop)
{
    if (!m_toUnlock && !m_wantsPassword)
        return {};
    if (auto needed = checkNeeded(); !needed)
        return needed;
    if (const auto identity = std::exchange(m_toUnlock, std::nullopt))
        return unlock(*identity, deadline, stop);
    m_wantsPassword = false;
    SignInQuestion question;
    question.kind = SignInQuestion::Kind::Password;
    question.attempt = m_wrongPasswords > 0 ? SignInQuestion::Try::Again : SignInQuestion::Try::First;
    m_password = ask(question, deadline, stop);
    if (stop.stop_requested())
        return failure(ErrorCode::Stopped, QStringLiteral("Connecting to %1 was stopped.").arg(m_node), m_node);
    if (!m_password) {
        m_passwordOver = true;
        m_report.tried(QStringLiteral("a password (none was given)"));
    }
    return {};
}

// Whoever needs it first asks; the others wait for the same key. The passphrase is gone afterwards, the key stays in
// memory as long as the program runs, like in an ssh-agent.
Result<void> SshSignIn::unlock(const Identity& identity, Deadline& deadline, const std::stop_token& stop)
{
    const QString ring = KeyOffer::ringName(identity.file);
    const auto unlocked = shareOrMake<ssh_key_struct>(
        m_io, [&]() -> auto& { return m_io.shared().keys[ring]; }, [](const ssh_key_struct&) { return true; },
        [&]() -> Result<std::shared_ptr<ssh_key_struct>> {
            SignInQuestion question;
            question.kind = SignInQuestion::Kind::Passphrase;
            question.whom = identity.name;
            for (int i = 0; i < kPassphraseTries; ++i) {
                const auto passphrase = ask(question, deadline, stop);
                if (!passphrase)
                    break;
                if (SshKey key = KeyOffer::load(identity.file, passphrase->text()))
                    return std::shared_ptr<ssh_key_struct>(key.release(), KeyFree());
                question.attempt = SignInQuestion::Try::Again;
            }
            return failure(stop.stop_requested() ? ErrorCode::Stopped : ErrorCode::NeedsPassphrase,
                           QStringLiteral("%1 stays locked.").arg(identity.name), m_node);
        },
        deadline, stop, identity.name);
    if (unlocked)
        return {}; // m_next is still this key
    if (stop.stop_requested())
        return std::unexpected(unlocked.error());
    m_report.key(identity, KeyOffer::Answer::Locked);
    ++m_next;
    return {};
}

} // namespace lockstep
