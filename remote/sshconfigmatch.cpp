// SPDX-License-Identifier: GPL-3.0-or-later
// Match lines (readconf.c, match_cfg_line).
#include "remote/localtransport.h"
#include "remote/sshconfigreader.h"
#include "remote/sshconfigwords.h"
#include "remote/sshtokens.h"

#include <QSysInfo>

namespace lockstep {

Result<bool> SshConfigReader::matches(const Place& at, const QByteArray& criteria)
{
    QByteArray host = value("hostname");
    if (m_pass == Pass::First)
        host = host.isEmpty() ? m_original
                              : QByteArray(host).replace("%%", "\1").replace("%h", m_original).replace("\1", "%");
    std::optional<QByteArray> rest(criteria);
    bool result = true;
    for (int count = 0;; ++count) {
        const auto word = takeConfigWord(rest);
        if (!word || word->isEmpty() || word->startsWith('#')) {
            if (count == 0)
                return wrong(at, QStringLiteral("bad Match condition"));
            return result;
        }
        const bool negated = word->startsWith('!');
        const QByteArray name = word->mid(negated ? 1 : 0).toLower();
        if (name == "all") {
            const auto more = takeConfigWord(rest);
            if (count > 1 || // behind one criterion it may stand (canonical all)
                (more && !more->isEmpty() && !more->startsWith('#')))
                return wrong(at, QStringLiteral("bad Match condition: all stands alone"));
            return result && !negated;
        }
        if (name == "canonical" || name == "final") {
            m_wantsFinal = m_wantsFinal || (name == "final" && m_pass == Pass::First);
            result = result && (m_pass == Pass::Final) != negated;
            continue;
        }
        const auto argument = takeConfigWord(rest);
        if (!argument || argument->isEmpty() || argument->startsWith('#'))
            return wrong(at, QStringLiteral("bad Match condition: nothing after %1").arg(QString::fromUtf8(name)));
        if (name == "exec" && !result) // not run when it cannot matter
            continue;
        const auto one = matchesOne(at, name, *argument, host);
        if (!one)
            return one;
        result = result && *one != negated;
    }
}

Result<bool> SshConfigReader::matchesOne(const Place& at, const QByteArray& name, const QByteArray& argument,
                                         const QByteArray& host)
{
    const QByteArray self = Account::own().name.toLocal8Bit();
    if (name == "host")
        return matchesPatternList(host.toLower(), argument, PatternCase::Lower);
    if (name == "originalhost")
        return matchesPatternList(m_original.toLower(), argument, PatternCase::Lower);
    if (name == "user")
        return matchesPatternList(value("user", self), argument, PatternCase::AsIs);
    if (name == "localuser")
        return matchesPatternList(self, argument, PatternCase::AsIs);
    if (name == "exec")
        return runs(at, argument, host);
    return wrong(at, QStringLiteral("bad Match condition: %1 needs ssh to be installed").arg(QString::fromUtf8(name)));
}

Result<bool> SshConfigReader::runs(const Place& at, const QByteArray& command, const QByteArray& host)
{
    const Account self = Account::own();
    QByteArray line;
    for (qsizetype i = 0; i < command.size(); ++i) {
        if (command[i] != '%' || i + 1 == command.size()) {
            line += command[i];
            continue;
        }
        switch (command[++i]) {
        case '%':
            line += '%';
            break;
        case 'h':
            line += host;
            break;
        case 'k':
            line += value("hostkeyalias", host);
            break;
        case 'n':
            line += m_original;
            break;
        case 'p':
            line += value("port", "22");
            break;
        case 'r':
            line += value("user", self.name.toLocal8Bit());
            break;
        case 'u':
            line += self.name.toLocal8Bit();
            break;
        case 'd':
            line += self.home.toLocal8Bit();
            break;
        case 'l':
            line += QSysInfo::machineHostName().toLocal8Bit();
            break;
        case 'L':
            line += QSysInfo::machineHostName().section(u'.', 0, 0).toLocal8Bit();
            break;
        default:
            return wrong(at, QStringLiteral("unknown token in Match exec"));
        }
    }
    LocalTransport local{Node()};
    const auto ran = local.run({qEnvironmentVariable("SHELL", QStringLiteral("/bin/sh")).toLocal8Bit(), "-c", line}, {},
                               m_deadline, m_stop);
    if (!ran)
        return std::unexpected(ran.error());
    return ran->exitCode == 0;
}

} // namespace lockstep
