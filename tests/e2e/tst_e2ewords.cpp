// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes in = bytes out, from the spec file to what the kernel gave the rank, with another login shell on each node. And
// nothing of the desktop's own environment.
#include "tests/e2e/hostlook.h"
#include "tests/e2e/userdesk.h"
#include "tests/remote/argumentrows.h"
#include "tests/support/testcluster.h"

#include <QFile>
#include <QJsonArray>
#include <QStringDecoder>
#include <QTest>

using namespace lockstep::test;

namespace {

constexpr int kRanks = 5;
// One a node, n1 first. Only the second is not of the user trainer.
constexpr const char* kShells[kRanks]{"bash", "dash", "zsh", "fish", "tcsh"};

const QList<QPair<QByteArray, QByteArray>> kNamed{
    // cases/remote.md, Plan
    {"X", "a\"b"},
    {"Y", "$(touch pwned)"},
    {"Z", "two\nlines"},
};
const QList<QPair<QByteArray, QByteArray>> kOfTheDesktop{
    {"SLURM_JOB_ID", "77"},    {"SLURM_NTASKS", "1"},
    {"LOCAL_RANK", "99"},      {"WORLD_SIZE", "99"},
    {"PET_NNODES", "1"},       {"MASTER_PORT", "1"},
    {"DISPLAY", ":99"},        {"SSH_CONNECTION", "1.2.3.4 5 6.7.8.9 22"},
    {"PS1", "$(touch pwned)"}, {"BASH_FUNC_module%%", "() { :; }"},
    {"DESKTOP_ONLY", "1"},
};

// By hand, not with the product's writer: every byte of ASCII by its number.
QByteArray toml(const QByteArray& bytes)
{
    QStringDecoder decoder(QStringDecoder::Utf8);
    const QString text = decoder(bytes);
    if (decoder.hasError() || text.toUtf8() != bytes)
        return "{ base64 = \"" + bytes.toBase64() + "\" }";
    QByteArray out = "\"";
    for (const char c : bytes)
        out += static_cast<unsigned char>(c) < 0x80 ? "\\u" + QByteArray::number(c, 16).rightJustified(4, '0')
                                                    : QByteArray(1, c);
    return out + '"';
}

QByteArray variableOf(qsizetype word)
{
    return "WORD_" + QByteArray::number(word);
}

QByteArray specText()
{
    QByteArray spec = "name = \"words\"\nnodes = \"n*\"\narguments = [";
    QByteArray variables;
    const QList<QByteArray> words = argumentWords();
    for (qsizetype i = 0; i < words.size(); ++i) {
        spec += toml(words[i]) + ", ";
        variables += variableOf(i) + " = " + toml(words[i]) + '\n';
    }
    for (const auto& [name, value] : kNamed)
        variables += name + " = " + toml(value) + '\n';
    return spec + "]\n[env]\n" + variables + "[env_override]\nNCCL_SOCKET_IFNAME = \"mine\"\n";
}

struct Rank { // as its kernel has it
    QList<QByteArray> argv;
    QHash<QByteArray, QByteArray> env;
};

QString host(int rank)
{
    return QStringLiteral("n%1").arg(rank + 1);
}

QList<QByteArray> strings(QByteArray bytes) // each ended by a NUL
{
    bytes.chop(1);
    return bytes.split('\0');
}

} // namespace

class TestWords : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void argumentArrives_data() { words(); }
    void argumentArrives();
    void variableArrives_data() { words(); }
    void variableArrives();
    void namedVariablesArrive();
    void desktopsEnvironmentStaysThere();
    void whatWasDroppedIsShown();
    void pastedLineStartsTheSameRank();
    void nothingWasRun();
    void refusesByName_data();
    void refusesByName();

private:
    static void words();

    UserDesk m_desk;
    QString m_run, m_spec;
    QJsonObject m_plan;
    Rank m_ranks[kRanks];
};

void TestWords::initTestCase()
{
    m_desk.setRankProgram("words");
    m_desk.setInventory("n1 slots=1\ndasher@n2 slots=1\nn[3-5] slots=1\n");
    for (int rank = 2; rank < kRanks; ++rank) {
        const Ran ran = TestCluster::exec(host(rank), QByteArray("sed -i 's#^\\(trainer:.*:\\).*#\\1/usr/bin/") +
                                                          kShells[rank] + "#' /etc/passwd");
        QVERIFY2(ran.exitCode == 0, ran.err);
    }
    for (const auto& [name, value] : kOfTheDesktop)
        m_desk.environment.insert(QString::fromLatin1(name), QString::fromLatin1(value));
    m_desk.environment.insert("PATH", m_desk.environment.value("PATH") + ":" + m_desk.path("desktop-bin"));
    m_spec = m_desk.writeSpec(specText());
    m_plan = m_desk.ask({"plan", m_spec, "--json"}).object();
    const Answer answer = m_desk.ask({"run", m_spec, "--json"});
    QVERIFY2(answer.exitCode == 0, answer.err + answer.out);
    m_run = answer.object()["id"].toString();
    for (int rank = 0; rank < kRanks; ++rank) {
        const HostLook look(host(rank), rank == 1 ? HostLook::kDasher : HostLook::kTrainer);
        m_ranks[rank].argv = strings(look.file(m_run, QStringLiteral("argv-%1").arg(rank)));
        for (const QByteArray& entry : strings(look.file(m_run, QStringLiteral("environ-%1").arg(rank))))
            m_ranks[rank].env.insert(entry.left(entry.indexOf('=')), entry.mid(entry.indexOf('=') + 1));
        QCOMPARE(m_ranks[rank].argv.size(), 2 + argumentWords().size()); // /bin/sh, the script, the arguments
    }
}

void TestWords::words()
{
    QTest::addColumn<int>("rank");
    QTest::addColumn<int>("word");
    for (int rank = 0; rank < kRanks; ++rank)
        for (int word = 0; word < argumentWords().size(); ++word)
            QTest::addRow("%s %d: %s", kShells[rank], word,
                          argumentWords()[word].left(12).toPercentEncoding().constData())
                << rank << word;
}

void TestWords::argumentArrives()
{
    QFETCH(int, rank);
    QFETCH(int, word);
    QCOMPARE(m_ranks[rank].argv[2 + word], argumentWords()[word]);
}

void TestWords::variableArrives()
{
    QFETCH(int, rank);
    QFETCH(int, word);
    QVERIFY(m_ranks[rank].env.contains(variableOf(word)));
    QCOMPARE(m_ranks[rank].env.value(variableOf(word)), argumentWords()[word]);
}

void TestWords::namedVariablesArrive()
{
    for (const Rank& rank : m_ranks) {
        for (const auto& [name, value] : kNamed)
            QCOMPARE(rank.env.value(name), value);
        QCOMPARE(rank.env.value("NCCL_SOCKET_IFNAME"), QByteArray("mine")); // an explicit override
        QCOMPARE(rank.env.value("WORLD_SIZE"), QByteArray::number(kRanks));
        QCOMPARE(rank.env.value("LOCAL_RANK"), QByteArray("0"));
        QCOMPARE(rank.env.value("MASTER_ADDR"), QByteArray("10.77.1.1"));
        QVERIFY(rank.env.value("MASTER_PORT").toInt() > 1);
    }
    QCOMPARE(m_ranks[0].env.value("HOME"), QByteArray("/home/trainer"));
    QCOMPARE(m_ranks[1].env.value("HOME"), QByteArray("/home/dasher"));
}

// A rank has what the plan says, the tag, and the login's few (remote/agent/README.md); not one name more.
void TestWords::desktopsEnvironmentStaysThere()
{
    const QJsonArray planned = m_plan["ranks"].toArray();
    QCOMPARE(planned.size(), kRanks);
    for (int rank = 0; rank < kRanks; ++rank) {
        QHash<QByteArray, QByteArray> left = m_ranks[rank].env;
        for (const QString& name : planned[rank].toObject()["env"].toObject().keys())
            QVERIFY2(left.remove(name.toUtf8()) == 1, qPrintable(name));
        for (const char* name :
             {"LOCKSTEP_RUN_FOLDER", "LOCKSTEP_RUN", "LOCKSTEP_ATTEMPT", "HOME", "USER", "LOGNAME", "PATH", "LANG"})
            left.remove(name);
        QCOMPARE(left.keys(), QList<QByteArray>());
        QVERIFY(!m_ranks[rank].env.value("PATH").contains("desktop-bin"));
    }
}

void TestWords::whatWasDroppedIsShown()
{
    const QJsonArray dropped = m_plan["dropped_env"].toArray();
    const QByteArray table = m_desk.ask({"plan", m_spec}).out;
    for (const char* name : {"SLURM_JOB_ID", "SLURM_NTASKS", "LOCAL_RANK", "WORLD_SIZE", "PET_NNODES", "MASTER_PORT"}) {
        QVERIFY2(dropped.contains(QLatin1String(name)), name);
        QVERIFY2(table.contains(name), table);
    }
}

// The plan's line for a rank, in a shell on its node: the same words, the same variables, not one name more. In bash,
// dash, zsh and fish; tcsh takes no line break inside quotes.
void TestWords::pastedLineStartsTheSameRank()
{
    const QByteArray lines = m_desk.ask({"plan", m_spec, "--commands"}).out; // bytes, which JSON could not hold
    for (int rank = 0; rank < kRanks; ++rank) {
        const QByteArray number = QByteArray::number(rank), folder = "/tmp/pasted-" + number;
        const QByteArray head = "# rank " + number + " on " + host(rank).toLatin1() + '\n';
        const qsizetype begin = lines.indexOf(head) + head.size();
        const qsizetype end =
            rank + 1 < kRanks ? lines.indexOf("\n# rank " + QByteArray::number(rank + 1), begin) : lines.size() - 1;
        QVERIFY2(begin >= head.size() && end > begin, lines);
        const QByteArray shell = kShells[rank] == QByteArray("tcsh") ? "bash" : kShells[rank];
        const Ran ran = TestCluster::exec(host(rank), "mkdir -m 777 " + folder + " && cd " + folder + " && echo " +
                                                          lines.mid(begin, end - begin).toBase64() +
                                                          " | base64 -d >line && export STRANGER=1 && su " +
                                                          (rank == 1 ? "dasher" : "trainer") + " -s /usr/bin/" + shell +
                                                          " -c '. ./line'");
        QVERIFY2(ran.exitCode == 0, ran.err + ran.out);
        const auto file = [&](const char* name) {
            return strings(TestCluster::exec(host(rank), "cat " + folder + '/' + name + '-' + number).out);
        };
        QCOMPARE(file("argv"), m_ranks[rank].argv);
        QHash<QByteArray, QByteArray> env, wanted = m_ranks[rank].env;
        for (const QByteArray& entry : file("environ"))
            env.insert(entry.left(entry.indexOf('=')), entry.mid(entry.indexOf('=') + 1));
        for (const char* name :
             {"LOCKSTEP_RUN_FOLDER", "LOCKSTEP_RUN", "LOCKSTEP_ATTEMPT", "PATH", "LANG", "MASTER_PORT"}) {
            env.remove(name); // the tag is the agent's; the port is measured anew with each plan
            wanted.remove(name);
        }
        QCOMPARE(env, wanted);
    }
}

void TestWords::nothingWasRun()
{
    for (int rank = 0; rank < kRanks; ++rank)
        QCOMPARE(TestCluster::exec(host(rank), "find /home /tmp /var/tmp /root -name pwned").out, QByteArray());
    QVERIFY(!QFile::exists("pwned"));
}

void TestWords::refusesByName_data()
{
    QTest::addColumn<QByteArray>("spec");
    QTest::addColumn<QByteArray>("words");
    const QByteArray head = "nodes = \"n*\"\n", tooLong(128 << 10, 'x');
    QTest::newRow("NUL in an argument") << head + R"(arguments = ["fine", "a\u0000b"])"
                                        << QByteArray("Argument 2 (\"a\\0b\") holds a NUL byte");
    QTest::newRow("argument too long") << head + "arguments = [\"" + tooLong + "\"]"
                                       << QByteArray("Argument 1 (\"xxxxxxxxxxxxxxxxxxxx\") is longer than 128 KiB");
    QTest::newRow("NUL in a variable") << head + "[env]\nBAD = \"a\\u0000b\""
                                       << QByteArray("The variable BAD holds a NUL byte");
    QTest::newRow("variable too long") << head + "[env]\nBIG = \"" + tooLong + '"'
                                       << QByteArray("The variable BIG is longer than 128 KiB");
    QTest::newRow("Lockstep's own") << head + "[env]\nRANK = \"7\"" << QByteArray("RANK is set by Lockstep");
}

void TestWords::refusesByName()
{
    QFETCH(QByteArray, spec);
    QFETCH(QByteArray, words);
    const Answer answer = m_desk.ask({"run", m_desk.writeSpec(spec)});
    QCOMPARE(answer.exitCode, 2);
    QVERIFY2(answer.err.contains(words), answer.err);
    QCOMPARE(m_desk.shown("last")["id"].toString(), m_run); // nothing was recorded
}

LOCKSTEP_CLUSTER_MAIN(TestWords, 5)
#include "tst_e2ewords.moc"
