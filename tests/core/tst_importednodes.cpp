// SPDX-License-Identifier: GPL-3.0-or-later
// Host files of other launchers, Ansible's inventories, aliases of an ssh_config.
#include "core/inventory.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;

class TestImportedNodes : public QObject {
    Q_OBJECT

private slots:
    void hostfile_data();
    void hostfile();
    void wholeCase();
    void refused_data();
    void refused();
    void aliases();
    void example();
};

namespace {

QString shown(const ImportedNodes& imported) // name=address*slots#tags
{
    QStringList list;
    for (const Node& node : imported.nodes) {
        QString text = node.name + '=' + (node.local ? QString("local") : node.address.text());
        if (node.slots_ > 0)
            text += QString("*%1").arg(node.slots_);
        if (!node.tags.isEmpty())
            text += '#' + node.tags.join('+');
        list.append(text);
    }
    return list.join(' ');
}

QString problems(const ImportedNodes& imported)
{
    QStringList list;
    for (const ImportedLine& line : imported.problems)
        list.append(line.problem);
    return list.join('\n');
}

} // namespace

void TestImportedNodes::hostfile_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("told"); // empty: nothing
    QTest::newRow("DeepSpeed") << "node1 slots=8\nnode2 slots=2"
                               << "node1=node1*8 node2=node2*2"
                               << "";
    QTest::newRow("OpenMPI") << "n1 slots=4 max_slots=8\n"
                             << "n1=n1*4"
                             << "";
    QTest::newRow("MPICH") << "172.23.2.192:8\n172.23.2.194:8\n"
                           << "172.23.2.192=172.23.2.192*8 172.23.2.194=172.23.2.194*8"
                           << "";
    QTest::newRow("number") << "gpu8 8\n"
                            << "gpu8=gpu8*8"
                            << "";
    QTest::newRow("plain") << "mpi_master\nmpi_w1\r\n\nmpi_w2"
                           << "mpi_master=mpi_master mpi_w1=mpi_w1 mpi_w2=mpi_w2"
                           << "";
    QTest::newRow("plain, once a slot") << "n1\nn1\nn2\nn1\n"
                                        << "n1=n1*3 n2=n2"
                                        << "";
    QTest::newRow("Slurm") << "gpu[05-07],login1"
                           << "gpu05=gpu05 gpu06=gpu06 gpu07=gpu07 login1=login1"
                           << "";
    QTest::newRow("user and port") << "bob@n1:2222 slots=2"
                                   << "n1-2222=bob@n1:2222*2"
                                   << "";
    QTest::newRow("port beyond any slots") << "n1:32101\nn1:32001"
                                           << "n1-32101=n1:32101 n1-32001=n1:32001"
                                           << "";
    QTest::newRow("localhost") << "localhost slots=8\nslave_0 slots=8"
                               << "localhost=local*8 slave_0=slave_0*8"
                               << "";
    QTest::newRow("doubled") << "n1 slots=8\nn1 slots=8"
                             << "n1=n1*8"
                             << "line 2: n1 is named twice";
    QTest::newRow("placeholders") << "XX,XX slots=8\n"
                                  << "XX=XX*8"
                                  << "line 1: XX is named twice";
    QTest::newRow("Ansible groups") << "[all]\nw1 ansible_host=10.0.0.2 ip=10.0.0.2\nw2 "
                                       "ansible_host=10.0.0.3\n[master]\nw1\n[all:vars]\nansible_user=vagrant\n"
                                    << "w1=vagrant@10.0.0.2#master w2=vagrant@10.0.0.3"
                                    << "";
    QTest::newRow("Ansible children") << "[a]\nw1\n[b]\nw2\n[both:children]\na\nb\n"
                                      << "w1=w1#a+both w2=w2#b+both"
                                      << "";
    QTest::newRow("Ansible local") << "t ansible_connection=local\n"
                                   << "t=local"
                                   << "";
    QTest::newRow("Ansible range, port") << "[g]\ngpu[01:02] ansible_port=2222 # x\n"
                                         << "gpu01=gpu01:2222#g gpu02=gpu02:2222#g"
                                         << "";
    QTest::newRow("Ansible password") << "[g]\nw1 ansible_password=secret\n"
                                      << "w1=w1#g"
                                      << "line 2: the password of w1";
    QTest::newRow("Ansible template") << "[g]\nw1\nw2 ansible_host={{x}}\n"
                                      << "w1=w1#g"
                                      << "line 3: w2 has a template";
    QTest::newRow("Ansible by other means") << "[g]\nw1\nw2 ansible_connection=docker\n"
                                            << "w1=w1#g"
                                            << "line 3: w2 is reached by \"docker\"";
    QTest::newRow("Ansible circle") << "[a:children]\nb\n[b:children]\na\n[a]\nw1\n"
                                    << "w1=w1#a+b"
                                    << "";
}

void TestImportedNodes::hostfile()
{
    QFETCH(QString, text);
    QFETCH(QString, told);
    const Result<ImportedNodes> imported = importHostfile(text);
    QVERIFY2(imported, imported ? "" : qPrintable(imported.error().text));
    QTEST(shown(*imported), "nodes");
    QVERIFY2(told.isEmpty() ? imported->problems.isEmpty() : problems(*imported).contains(told),
             qPrintable(problems(*imported)));
}

void TestImportedNodes::wholeCase()
{
    const Result<ImportedNodes> imported = importHostfile(QStringLiteral("# rack 3, the quiet one\n"
                                                                         "gpu1 slots=8\n"
                                                                         "gpu2 slots = 8        # trailing comment\n"
                                                                         "alice@10.0.0.13 slots=2\n"
                                                                         "10.0.0.14:8\n"
                                                                         "gpu[05-07] slots=4\n"
                                                                         "gpu8 8\n"
                                                                         "gpu9 slots=0\n"
                                                                         "gpu10 lots=8\n"
                                                                         "[2001:db8::9]:2222 slots=8\n"));
    QVERIFY(imported);
    QCOMPARE(shown(*imported), "gpu1=gpu1*8 gpu2=gpu2*8 10.0.0.13=alice@10.0.0.13*2 10.0.0.14=10.0.0.14*8 "
                               "gpu05=gpu05*4 gpu06=gpu06*4 gpu07=gpu07*4 gpu8=gpu8*8 "
                               "2001-db8--9-2222=[2001:db8::9]:2222*8");
    QCOMPARE(imported->problems.size(), 2);
    QCOMPARE(imported->problems[0].line, 8);
    QVERIFY(imported->problems[0].problem.contains("0 slots"));
    QCOMPARE(imported->problems[1].line, 9);
    QVERIFY(imported->problems[1].problem.contains("lots=8"));
}

void TestImportedNodes::refused_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("empty") << ""
                           << "empty";
    QTest::newRow("all comment") << "# gpu1\n\n#gpu2\n"
                                 << "empty or all comment";
    QTest::newRow("all wrong") << "gpu1 lots=8\n"
                               << "line 1";
    QTest::newRow("Ansible YAML") << "---\nall:\n  hosts:\n    g1:\n      ansible_host: 10.0.0.2\n"
                                  << "YAML";
    QTest::newRow("a table") << "index,ip\njob-28,10.95.230.149\njob-29,10.95.230.153\n"
                             << "table with commas";
    QTest::newRow("empty group") << "[all]\n"
                                 << "names no host";
}

void TestImportedNodes::refused()
{
    QFETCH(QString, text);
    QFETCH(QString, says);
    const Result<ImportedNodes> imported = importHostfile(text);
    QVERIFY2(!imported, imported ? qPrintable(shown(*imported)) : "");
    QVERIFY2(imported.error().text.contains(says), qPrintable(imported.error().text));
}

void TestImportedNodes::aliases()
{
    const QTemporaryDir folder;
    const auto write = [&](const QString& name, const QByteArray& text) {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    QVERIFY(QDir(folder.path()).mkdir("conf.d"));
    QVERIFY(write("config", "Include conf.d/*.conf\nHost *\n  User default\nhost gpu-1 gpu-? !gpu-9\n\tHostName "
                            "10.0.0.11\nHost=\"gpu-2\"\nMatch host x\n  User y\nHost gpu-1\n"));
    QVERIFY(write("conf.d/a.conf", "Host jump # the hop\n  Port 2222\n"));
    QVERIFY(write("conf.d/b.conf", "Include config-of-nobody\nInclude b.conf\nHost inner\n"));
    const Result<ImportedNodes> imported = importSshConfig(folder.filePath("config"));
    QVERIFY(imported);
    QCOMPARE(shown(*imported), "jump=jump inner=inner gpu-1=gpu-1 gpu-2=gpu-2");
    QVERIFY(!importSshConfig(folder.filePath("none")));
    QVERIFY(write("stars", "Host *\n"));
    QVERIFY(!importSshConfig(folder.filePath("stars")));
}

void TestImportedNodes::example()
{
    QFile file(QStringLiteral(LOCKSTEP_SOURCE_DIR "/examples/hostfile"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const Result<ImportedNodes> imported = importHostfile(QString::fromUtf8(file.readAll()));
    QVERIFY(imported && imported->problems.isEmpty());
    QCOMPARE(imported->nodes.size(), 6);
}

QTEST_GUILESS_MAIN(TestImportedNodes)
#include "tst_importednodes.moc"
