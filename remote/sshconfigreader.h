// SPDX-License-Identifier: GPL-3.0-or-later
// Our own reading of ssh_config, for a desktop without ssh: says what `ssh -G` would, in the same form, for the
// keywords that matter here. After readconf.c and ssh.c of OpenSSH 9.2; tests hold it against the real one. What it
// cannot do without ssh (CanonicalizeHostname, a Match criterion it does not know) is an error. Any worker thread;
// reads files, runs what Match exec names.
#pragma once

#include "remote/sshconfigkeywords.h"
#include "remote/sshsettings.h"
#include "remote/transport.h"

#include <QList>
#include <QStringList>

#include <map>

namespace lockstep {

class SshConfigReader {
public:
    SshConfigReader(Address address, const SshSettings& settings, Deadline deadline, std::stop_token stop);

    [[nodiscard]] Result<QByteArray> dump(); // as ssh -G writes it

private:
    enum class Pass { First, Final };
    struct Place { // of the line at hand
        QString file;
        int line = 0;
        bool ofUser = true;     // relative includes are in ~/.ssh, else in /etc/ssh
        bool never = false;     // inside something that does not apply: read for its mistakes only
        bool* active = nullptr; // whether this block applies
        int depth = 0;
    };

    [[nodiscard]] Result<void> readAll(Pass pass);
    [[nodiscard]] Result<bool> readFile(const Place& at); // false: there is no such file
    [[nodiscard]] Result<void> readLine(const Place& at, QByteArray line);
    [[nodiscard]] Result<void> apply(const Place& at, const ConfigKeywordRow& row, const QByteArray& keyword,
                                     const QByteArray& rest);
    [[nodiscard]] Result<void> applyHost(const Place& at, const QList<QByteArray>& words);
    [[nodiscard]] Result<void> applyInclude(const Place& at, const QList<QByteArray>& words);
    [[nodiscard]] Result<void> applyJump(const Place& at, const QByteArray& rest);
    [[nodiscard]] Result<void> applyOneWord(const Place& at, const ConfigKeywordRow& row, const QByteArray& word);
    [[nodiscard]] Result<bool> matches(const Place& at, const QByteArray& criteria);
    [[nodiscard]] Result<bool> matchesOne(const Place& at, const QByteArray& name, const QByteArray& argument,
                                          const QByteArray& host);
    [[nodiscard]] Result<bool> runs(const Place& at, const QByteArray& command, const QByteArray& host);
    [[nodiscard]] std::unexpected<Error> wrong(const Place& at, const QString& what);
    void set(const Place& at, const QByteArray& key, const QByteArray& value); // the first one counts
    void settleHost();
    [[nodiscard]] QByteArray value(const QByteArray& key, const QByteArray& otherwise = {}) const;

    Address m_address;
    const SshSettings& m_settings;
    Deadline m_deadline;
    std::stop_token m_stop;
    QByteArray m_original, m_host;
    std::map<QByteArray, QByteArray> m_values;
    std::map<QByteArray, QList<QByteArray>> m_lists;
    QByteArray m_ignored; // IgnoreUnknown
    Pass m_pass = Pass::First;
    bool m_wantsFinal = false;
};

} // namespace lockstep
