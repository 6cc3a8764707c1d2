// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/e2e/cablecount.h"

#include <QProcess>
#include <QRegularExpression>

namespace lockstep::test {

namespace {

QByteArray nft(const QByteArray& commands)
{
    QProcess process;
    process.start("nft", {"-f", "-"});
    process.write(commands);
    process.closeWriteChannel();
    if (!process.waitForFinished() || process.exitCode() != 0)
        qFatal("nft: %s", process.readAllStandardError().constData());
    return process.readAllStandardOutput();
}

QByteArray addressOf(const QString& host)
{
    return "10.77.1." + host.mid(1).toLatin1(); // tests/support/testcluster.sh
}

qint64 counted(const QString& name)
{
    const QString text = QString::fromLatin1(nft("list counter ip desk " + name.toLatin1() + '\n'));
    return QRegularExpression("bytes (\\d+)").match(text).captured(1).toLongLong();
}

} // namespace

CableCount::CableCount(const QStringList& hosts)
{
    QByteArray counters, sent, received;
    for (const QString& host : hosts) {
        const QByteArray name = host.toLatin1(), address = addressOf(host);
        counters += "counter to_" + name + " {}\ncounter from_" + name + " {}\n";
        sent += "ip daddr " + address + " counter name to_" + name + '\n';
        received += "ip saddr " + address + " counter name from_" + name + '\n';
    }
    nft("table ip desk {\n" + counters + "chain out {\ntype filter hook output priority 0;\n" + sent +
        "}\nchain in {\ntype filter hook input priority 0;\n" + received + "}\n}\n");
}

CableCount::~CableCount()
{
    nft("delete table ip desk\n");
}

void CableCount::reset()
{
    nft("reset counters table ip desk\n");
}

CableCount::Bytes CableCount::of(const QString& host) const
{
    return {counted("to_" + host), counted("from_" + host)};
}

} // namespace lockstep::test
