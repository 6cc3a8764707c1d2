// SPDX-License-Identifier: GPL-3.0-or-later
// What `lockstep doctor` says of a node that can be used, and of one that cannot: options of ssh_config that are not
// followed are told, once for all nodes that have them, and where signing in fails, those that might have helped.
#include "tests/e2e/userdesk.h"
#include "tests/support/testcluster.h"

#include <QFile>
#include <QJsonArray>
#include <QTest>

using namespace lockstep::test;

class TestDoctor : public QObject {
    Q_OBJECT

private slots:
    void tellsWhatOfSshConfigIsNotFollowed();
    void tellsWhatMightHaveSignedIn();

private:
    QJsonObject doctor(const QByteArray& sshConfig)
    {
        QFile cluster(TestCluster::file("ssh_config")), own(m_desk.path("ssh_config"));
        if (!cluster.open(QIODevice::ReadOnly) || !own.open(QIODevice::WriteOnly))
            qFatal("no ssh_config");
        own.write(sshConfig + cluster.readAll());
        own.close();
        m_desk.environment.insert("LOCKSTEP_SSH_CONFIG", m_desk.path("ssh_config"));
        m_desk.setInventory("n1\nn2\n");
        return m_desk.ask({"doctor", "n[1-2]", "--json"}).object();
    }
    static QStringList problems(const QJsonObject& doctor)
    {
        QStringList list;
        for (const auto& one : doctor["problems"].toArray()) {
            const QJsonObject problem = one.toObject();
            list << problem["severity"].toString() + ": " + problem["title"].toString() + ": " +
                        problem["detail"].toString();
        }
        return list;
    }

    UserDesk m_desk;
};

void TestDoctor::tellsWhatOfSshConfigIsNotFollowed()
{
    const QJsonObject said = doctor("Host n*\n  ForwardAgent yes\n  SetEnv A=b\n  GSSAPIAuthentication yes\n");
    const QString all = problems(said).join('\n');
    QVERIFY2(said["ready"].toBool(), qPrintable(all));
    QCOMPARE(problems(said).filter("ssh_config").size(), 1);
    QVERIFY2(all.contains("note: ssh_config asks for what is not done here, on n1, n2: ForwardAgent: the agent is not "
                          "forwarded"),
             qPrintable(all));
    QVERIFY2(all.contains("SetEnv: ranks get the variables of the plan"), qPrintable(all));
    QVERIFY2(!all.contains("GSSAPI"), qPrintable(all)); // both have signed in without it
}

void TestDoctor::tellsWhatMightHaveSignedIn()
{
    const QJsonObject said = doctor("Host n2\n  User nobody-there\n  GSSAPIAuthentication yes\n");
    const QString all = problems(said).join('\n');
    QVERIFY2(!said["ready"].toBool() && problems(said).filter("error: n2 can't be used").size() == 1, qPrintable(all));
    QVERIFY2(all.contains("not what ssh_config says (GSSAPIAuthentication: there is no signing in by Kerberos here)"),
             qPrintable(all));
}

LOCKSTEP_CLUSTER_MAIN(TestDoctor, 2)
#include "tst_e2edoctor.moc"
