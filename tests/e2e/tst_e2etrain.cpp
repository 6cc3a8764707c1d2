// SPDX-License-Identifier: GPL-3.0-or-later
// From nothing: hosts that have only an sshd, a desktop that has only their names. One command trains on all of them.
#include "tests/e2e/hostlook.h"
#include "tests/e2e/userdesk.h"
#include "tests/support/testcluster.h"

#include <QFile>
#include <QMap>
#include <QTest>

#include <algorithm>

using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kTrainTime = 240s;
constexpr int kSteps = 150;
constexpr double kFirstLoss = 1.5, kLastLoss = 0.75; // a guess costs ln(10) = 2.3; below the second it has learned
constexpr char kSpec[] = R"(
name = "fashion"
nodes = "n*"

[trainer]
model = "mlp"
data = "fashion-mnist"
batch = 64
steps = 150
threads = 1
checkpoint = "checkpoints"
)";

struct Curve { // of one rank, as exported
    QList<double> loss;
    double steps = 0; // that its records cover: above 20 steps/s one covers several
};

QMap<int, Curve> curvesOf(const QString& csv)
{
    QMap<int, Curve> curves;
    QFile file(csv);
    if (!file.open(QIODevice::ReadOnly))
        return curves;
    while (!file.atEnd()) { // metric,rank,node,device,attempt,step,seconds,value
        const QList<QByteArray> cells = file.readLine().trimmed().split(',');
        if (cells.size() == 8 && cells[0] == "loss")
            curves[cells[1].toInt()].loss << cells[7].toDouble();
        else if (cells.size() == 8 && cells[0] == "steps")
            curves[cells[1].toInt()].steps += cells[7].toDouble();
    }
    return curves;
}

// Documented in remote/agent/README.md.
bool isDocumented(const QString& path, const QString& host, const QString& run)
{
    const QString cache = QStringLiteral("/home/trainer/.cache/lockstep/"),
                  runs = QStringLiteral("/var/tmp/lockstep-2077/%1/").arg(host);
    return path.startsWith(cache + "agent/") || path.startsWith(cache + "bundles/") ||
           path.startsWith(cache + "contents/") || path == cache + "home-id" || path.startsWith(runs + run + '/') ||
           path == runs + ".launch-lock";
}

} // namespace

class TestTrain : public QObject {
    Q_OBJECT

private slots:
    void trainsFromNothing_data();
    void trainsFromNothing();
};

void TestTrain::trainsFromNothing_data()
{
    QTest::addColumn<QList<int>>("ranksOfHosts");
    QTest::newRow("2x2") << QList<int>{2, 2};
    QTest::newRow("1+2+3") << QList<int>{1, 2, 3};
}

void TestTrain::trainsFromNothing()
{
    QFETCH(QList<int>, ranksOfHosts);
    UserDesk desk;
    QByteArray hostfile;
    QStringList hosts;
    int ranks = 0;
    for (qsizetype i = 0; i < ranksOfHosts.size(); ++i) {
        const QString host = QStringLiteral("n%1").arg(i + 1);
        // What an earlier row put there.
        QCOMPARE(TestCluster::exec(host, "rm -rf /home/trainer/.cache /var/tmp/lockstep-2077").exitCode, 0);
        QCOMPARE(HostLook(host).files(), QStringList());
        hosts << host;
        hostfile += host.toUtf8() + " slots=" + QByteArray::number(ranksOfHosts[i]) + '\n';
        ranks += ranksOfHosts[i];
    }
    desk.setInventory(hostfile);

    const Answer answer = desk.start({"run", desk.writeSpec(kSpec), "--json"})->end(kTrainTime);
    QVERIFY2(answer.exitCode == 0, answer.err + answer.out);
    const QJsonObject run = answer.object();
    const QString id = run["id"].toString();
    QCOMPARE(run["phase"].toString(), QStringLiteral("finished"));
    QCOMPARE(run["proof"].toString(), QStringLiteral("%1 of %1 ranks gone, 0 left behind").arg(ranks));

    QCOMPARE(desk.ask({"export", id, "--format", "csv", "-o", desk.path("curves.csv")}).exitCode, 0);
    const QMap<int, Curve> curves = curvesOf(desk.path("curves.csv"));
    QCOMPARE(curves.size(), ranks);
    for (int rank = 0; rank < ranks; ++rank) {
        QCOMPARE(curves[rank].steps, double(kSteps));
        QVERIFY2(curves[rank].loss.first() > kFirstLoss, qPrintable(QString::number(curves[rank].loss.first())));
        QVERIFY2(curves[rank].loss.last() < kLastLoss, qPrintable(QString::number(curves[rank].loss.last())));
    }

    for (const QString& host : hosts) {
        const HostLook look(host);
        QCOMPARE(look.file(id, "checkpoints/step-000000150.pt").startsWith("PK"),
                 host == QLatin1String("n1")); // rank 0 is there
        QCOMPARE(desk.storedSpool(id, host), look.spool(id));
        QTRY_COMPARE(look.processes(), QStringList()); // sshd's own of the ended session go a moment later
        for (const QString& path : look.files())
            QVERIFY2(isDocumented(path, host, id), qPrintable(path));
    }
}

LOCKSTEP_CLUSTER_MAIN(TestTrain, 3)
#include "tst_e2etrain.moc"
