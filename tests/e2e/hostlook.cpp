// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/e2e/hostlook.h"

#include "tests/e2e/spoolbytes.h"
#include "tests/support/testcluster.h"

#include <QDir>
#include <QFile>

namespace lockstep::test {

namespace {

QStringList lines(const QByteArray& text)
{
    QStringList all;
    for (const QString& line : QString::fromUtf8(text).split(u'\n'))
        if (!line.trimmed().isEmpty())
            all << line.trimmed();
    return all;
}

QByteArray read(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

QStringList HostLook::processes() const
{
    return lines(TestCluster::exec(m_host, "ps -o pid=,args= -U " + QByteArray::number(m_uid)).out);
}

QStringList HostLook::files() const
{
    return lines(TestCluster::exec(m_host, "find /home /tmp /var/tmp /dev/shm /run -uid " + QByteArray::number(m_uid) +
                                               " -not -type d -not -path '*/.ssh/*'")
                     .out);
}

QString HostLook::runFolder(const QString& run) const
{
    // Through the host's first process: what a test has mounted there is seen, too.
    const QString pid = QString::fromLatin1(read(TestCluster::file("host/" + m_host + "/pid"))).trimmed();
    return QStringLiteral("/proc/%1/root/var/tmp/lockstep-%2/%3/%4").arg(pid).arg(m_uid).arg(m_host, run);
}

QString HostLook::folderThere(const QString& host, const QString& run)
{
    return QStringLiteral("/var/tmp/lockstep-%1/%2/%3").arg(kTrainer).arg(host, run);
}

QStringList HostLook::segments(const QString& run) const
{
    return QDir(runFolder(run)).entryList({QStringLiteral("spool.*")}, QDir::Files, QDir::Name);
}

QByteArray HostLook::spool(const QString& run) const
{
    QStringList paths;
    for (const QString& name : segments(run))
        paths << runFolder(run) + u'/' + name;
    return spoolBytes(paths);
}

QByteArray HostLook::file(const QString& run, const QString& name) const
{
    return read(runFolder(run) + u'/' + name);
}

} // namespace lockstep::test
