// SPDX-License-Identifier: GPL-3.0-or-later
// What a deploy ahead of a launch does beyond sending: old bundles, a relay, a user's folder, a torch for GPU nodes.
#include "remote/deployahead.h"
#include "remote/nodebundles.h"
#include "tests/remote/madedeploy.h"
#include "tests/remote/ownnetwork.h"

#include <QDirIterator>
#include <QMutex>
#include <QProcess>
#include <QScopeGuard>
#include <QSet>
#include <QTest>

#include <algorithm>

using namespace lockstep;
using namespace lockstep::test;

namespace {

Result<Deployed> deploy(MadeNodes& made, NodeLink& link)
{
    const auto program = Program::read(made.parts(), {});
    return program ? deployRuntime(link, *program, RuntimeChoice(), [](const QString&) {}, {})
                   : Result<Deployed>(std::unexpected(program.error()));
}

} // namespace

class TstDeployAhead : public QObject {
    Q_OBJECT

private slots:
    void listsAndRemovesOldBundles();
    void passesABundleOn();
    void aLaunchPassesItOnToo();
    void sendsAFolderWithoutWhatGitIgnores();
    void givesAGpuNodeItsTorch_data();
    void givesAGpuNodeItsTorch();
};

void TstDeployAhead::listsAndRemovesOldBundles()
{
    MadeNodes made(1);
    GET(link, open(made));
    GET(bundle, readBundle(made));
    GET(old, deploy(made, link));
    writeFile(made.bundleFolder() + QStringLiteral("/new.txt"), "new");
    GET(changed, readBundle(made));
    GET(fresh, deploy(made, link));
    // A process that was started out of the newer one keeps it.
    QProcess user;
    user.start(QStringLiteral("/bin/sh"),
               {"-c", "cp /bin/sleep \"$1/sleep\"; exec \"$1/sleep\" 100", "sh", QString::fromUtf8(fresh.path)});
    QVERIFY(user.waitForStarted());
    const auto inUse = [&] {
        const auto list = listBundles(link, {});
        return list && std::any_of(list->begin(), list->end(), [&](const NodeBundle& one) {
                   return one.hash == QString::fromLatin1(changed.hash) && !one.inUse.isEmpty();
               });
    };
    QTRY_VERIFY(inUse());
    GET(removal, removeBundles(link, {QString::fromLatin1(bundle.hash), QString::fromLatin1(changed.hash)}, {}));
    QCOMPARE(removal.removed, QStringList{QString::fromLatin1(bundle.hash)});
    QCOMPARE(removal.kept.size(), 1);
    QVERIFY2(removal.kept[0].second.contains(QStringLiteral("runs from")), qPrintable(removal.kept[0].second));
    QVERIFY(!QFile::exists(QString::fromUtf8(old.path)));
    QVERIFY(QFile::exists(QString::fromUtf8(fresh.path) + QStringLiteral("/lockstep-trainer")));
    user.kill();
    user.waitForFinished();
    GET(second, removeBundles(link, {QString::fromLatin1(changed.hash)}, {}));
    QCOMPARE(second.removed.size(), 1);
    QVERIFY(second.freedBytes > 300'000); // their contents went too
    QVERIFY(QDir(made[0].cache + QStringLiteral("/contents")).entryList(QDir::Files).isEmpty());
}

void TstDeployAhead::passesABundleOn()
{
    MadeNodes made(4);
    DeployAhead order;
    order.nodes = made.nodes();
    order.relay = Relay::On;
    GET(deployed, deployAhead(made.parts(), order, {}));
    QCOMPARE(deployed.size(), 4u);
    for (std::size_t i = 0; i < deployed.size(); ++i) {
        QVERIFY2(deployed[i].result.has_value(), deployed[i].result ? "" : qPrintable(deployed[i].result.error().text));
        QCOMPARE(deployed[i].passedOn, i > 0);
        QCOMPARE(contentOf(QString::fromUtf8(deployed[i].result->path) + QStringLiteral("/lib/libextra.so.1")),
                 contentOf(made.bundleFolder() + QStringLiteral("/lib/libextra.so.1")));
        QCOMPARE(deployed[i].result->filesSent, deployed[0].result->filesSent);
        QVERIFY(deployed[i].result->filesSent > 0); // the first node's too, which the relay itself sent
        if (i > 0)
            QVERIFY2(deployed[i].result->bytesSent < 10'000,
                     qPrintable(QString::number(deployed[i].result->bytesSent)));
        const QDir contents(made[static_cast<int>(i)].cache + QStringLiteral("/contents"));
        QVERIFY(contents.entryList({QStringLiteral("*.frame")}, QDir::Files).isEmpty()); // nothing is kept afterwards
    }
}

// relay = true of the spec: the other nodes are sent next to nothing, and say from whom they have it.
void TstDeployAhead::aLaunchPassesItOnToo()
{
    MadeNodes made(3);
    writeFile(made.bundleFolder() + QStringLiteral("/lockstep-trainer"),
              "#!/bin/sh\necho \"info - 0 world=$WORLD_SIZE\" >&3\n");
    RunSpec spec;
    spec.ranksPerNode = 1;
    spec.relay = true;
    QMutex mutex; // of what the nodes' threads say
    QList<QSet<QString>> said(3);
    LaunchEvents events;
    events.progress = [&](int node, const QString& words) {
        const QMutexLocker lock(&mutex);
        said[node].insert(words);
    };
    GET(launched,
        launchRun(made.parts(), spec, made.nodes(), {QStringLiteral("20261129-160401-relay"), 1}, events, {}));
    QCOMPARE(launched.nodes.size(), 3u);
    for (std::size_t i = 0; i < launched.nodes.size(); ++i) {
        QVERIFY(
            QFile::exists(QString::fromUtf8(launched.nodes[i].deployed.path) + QStringLiteral("/lib/libextra.so.1")));
        QVERIFY2(launched.nodes[i].deployed.bytesSent < 10'000, "it was sent, after it was passed on");
        const auto& words = said[static_cast<qsizetype>(i)];
        const auto from = std::ranges::find_if(
            words, [](const QString& one) { return one.startsWith(QLatin1String("taking the bundle from n")); });
        QCOMPARE(from != words.end(), i > 0);
    }
}

void TstDeployAhead::sendsAFolderWithoutWhatGitIgnores()
{
    MadeNodes made(1);
    GET(link, open(made));
    const QString folder = made.folder() + QStringLiteral("/code");
    for (const char* name : {"/data", "/.git", "/sub"})
        QDir().mkpath(folder + QLatin1String(name));
    for (const char* name : {"/train.py", "/data/huge.bin", "/.git/HEAD", "/sub/model.pt", "/sub/keep.pt"})
        writeFile(folder + QLatin1String(name), name);
    writeFile(folder + QStringLiteral("/.gitignore"), "*.pt\n!keep.pt\n");
    writeFile(folder + QStringLiteral("/.lockstepignore"), "data/\n");
    GET(program, Program::read(made.parts(), {}));
    GET(user, UserFolder::read(folder, made.parts().cacheFolder, {}));
    GET(deployed, deployFolder(link, user, program, [](const QString&) {}, {}));
    QDirIterator files(QString::fromUtf8(deployed.path), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    QStringList names;
    while (files.hasNext())
        names.append(files.next().mid(deployed.path.size() + 1));
    names.sort();
    QCOMPARE(names, QStringList({".gitignore", ".lockstepignore", "sub/keep.pt", "train.py"}));
}

void TstDeployAhead::givesAGpuNodeItsTorch_data()
{
    QTest::addColumn<QString>("site"); // of a torch, inside the test's folder
    QTest::addColumn<QString>("version");
    QTest::addColumn<bool>("here"); // it is this machine's
    QTest::addColumn<QString>("words");
    QTest::newRow("found there") << QStringLiteral("n1/home/job/.venv/lib/python3.11/site-packages")
                                 << QStringLiteral("2.14.1+cu130") << false
                                 << QStringLiteral("beside torch 2.14.1+cu130");
    QTest::newRow("another one there, ours is sent")
        << QStringLiteral("desktop/site") << QStringLiteral("2.14.1+cu130") << true << QStringLiteral("with pip");
    QTest::newRow("none anywhere") << QStringLiteral("n1/home/job/.venv/lib/python3.11/site-packages")
                                   << QStringLiteral("2.11.0+cu128") << false << QString();
}

// What the node's own pip would bring is tested with the agent.
void TstDeployAhead::givesAGpuNodeItsTorch()
{
    QFETCH(QString, site);
    QFETCH(QString, version);
    QFETCH(bool, here);
    QFETCH(QString, words);
    MadeNodes made(1);
    made[0].hasGpu = true;
    // Its Python has a pip that brings nothing.
    const QString python = made.folder() + QStringLiteral("/python");
    QDir().mkpath(python + QStringLiteral("/bin"));
    QDir().mkpath(python + QStringLiteral("/lib/python3.11/site-packages/pip"));
    writeFile(python + QStringLiteral("/lib/python3.11/site-packages/pip/__init__.py"), "");
    writeFile(python + QStringLiteral("/bin/python3"), "#!/bin/sh\necho no index >&2\nexit 1\n");
    QVERIFY(QFile::setPermissions(python + QStringLiteral("/bin/python3"), QFile::ReadOwner | QFile::ExeOwner));
    const QByteArray path = qgetenv("PATH");
    const auto restored = qScopeGuard([&path] { qputenv("PATH", path); });
    qputenv("PATH", python.toUtf8() + "/bin:" + path);
    qputenv("HOME", made.folder().toUtf8()); // this machine's own torches are not looked for
    qputenv("LOCKSTEP_CACHE_DIR", (made.folder() + QStringLiteral("/own-cache")).toUtf8());
    writeFile(made.bundleFolder() + QStringLiteral("/bundle.toml"),
              "torch = \"2.14.1+cu130\"\ncuda = \"13.0\"\ncuda_files = [\"lockstep-trainer\"]\n"
              "packages = [\"torch==2.14.1\"]\ncuda_bytes = 1000\n");
    const QString folder = made.folder() + QLatin1Char('/') + site;
    for (const char* name : {"/torch/lib", "/nvidia/nccl/lib"})
        QDir().mkpath(folder + QLatin1String(name));
    writeFile(folder + QStringLiteral("/torch/version.py"),
              "__version__ = '" + version.toUtf8() + "'\ncuda = '13.0'\n");
    writeFile(folder + QStringLiteral("/torch/lib/libtorch_cuda.so"), "cuda");
    writeFile(folder + QStringLiteral("/nvidia/nccl/lib/libnccl.so.2"), "nccl");
    if (site.contains(QStringLiteral(".venv")))
        writeFile(folder.section(QLatin1Char('/'), 0, -4) + QStringLiteral("/pyvenv.cfg"), "");
    qputenv("LOCKSTEP_TORCH", here ? (folder + QStringLiteral("/torch")).toUtf8() : QByteArray());
    DeployAhead order;
    order.nodes = made.nodes();
    QStringList said;
    order.progressed = [&](const QString&, const QString& progress) { said.append(progress); };
    GET(deployed, deployAhead(made.parts(), order, {}));
    const DeployedNode& node = deployed.front();
    qunsetenv("LOCKSTEP_TORCH");
    if (words.isEmpty()) {
        QVERIFY(!node.result.has_value());
        return;
    }
    QVERIFY2(node.result.has_value(), node.result ? "" : qPrintable(node.result.error().text));
    QVERIFY2(node.runtime.contains(words), qPrintable(node.runtime));
    QCOMPARE(said.join(u' ').contains(QStringLiteral("Sending torch from this machine instead")), here);
    const QDir bundle(QString::fromUtf8(node.result->path));
    QCOMPARE(bundle.entryList(QDir::Files, QDir::Name),
             QStringList({"libnccl.so.2", "libtorch_cuda.so", "lockstep-trainer"}));
    QCOMPARE(contentOf(bundle.filePath(QStringLiteral("libtorch_cuda.so"))), QByteArray("cuda"));
    // A torch that was sent stays as long as a trainer lies beside it.
    GET(link, open(made));
    GET(list, listBundles(link, {}));
    const auto torch = std::find_if(list.begin(), list.end(),
                                    [](const NodeBundle& one) { return one.kind == QLatin1String("torch"); });
    QCOMPARE(torch != list.end(), here);
    if (here) {
        GET(removal, removeBundles(link, {torch->hash}, {}));
        QCOMPARE(removal.kept.size(), 1);
    }
}

int main(int argc, char** argv)
{
    enterOwnNetwork(); // a relay listens on the nodes' own addresses
    QCoreApplication app(argc, argv);
    TstDeployAhead test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_deployahead.moc"
