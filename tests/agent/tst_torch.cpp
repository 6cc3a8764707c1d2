// SPDX-License-Identifier: GPL-3.0-or-later
// A torch found on a node, linked beside a bundle, or fetched by the node's own pip from a folder of made wheels.
#include "remote/agent/findtorch.h"
#include "remote/agent/modulefiles.h"
#include "remote/agent/sha256.h"
#include "tests/agent/agentbox.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTest>

using namespace lockstep::agent;

namespace {

constexpr int kFetchMs = 120'000;
const QByteArray kVersionFile = "from typing import Optional\n__version__ = '2.14.1+cu130'\n"
                                "cuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n";

void write(const QString& path, const QByteArray& text)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
    file.write(text);
}

void makeTorch(const QString& site, const QByteArray& version = kVersionFile)
{
    write(site + "/torch/version.py", version);
    write(site + "/torch/lib/libtorch_cuda.so", "cuda");
    write(site + "/nvidia/nccl/lib/libnccl.so.2", "nccl");
    write(site + "/nvidia/cu13/lib/libcudart.so.13", "cudart");
    write(site + "/nvidia_nccl_cu13-2.30.7.dist-info/METADATA", "");
}

// A wheel is a zip; Python makes it.
void makeWheel(const QString& folder, const QByteArray& name, const QByteArray& version, const QByteArray& files)
{
    const QByteArray script = R"(
import sys, zipfile
folder, name, version, files = sys.argv[1:5]
info = f"{name.replace('-', '_')}-{version}.dist-info"
with zipfile.ZipFile(f"{folder}/{name.replace('-', '_')}-{version}-py3-none-any.whl", "w") as wheel:
    for line in files.split("\n"):
        if line:
            path, text = line.split("|", 1)
            wheel.writestr(path, text.replace("\\n", "\n"))
    requires = "Requires-Dist: nvidia-nccl-cu13==2.30.7\n" if name == "torch" else ""
    wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(f"{info}/RECORD", "")
)";
    QDir().mkpath(folder);
    QProcess python;
    python.start("python3", {"-c", QString::fromUtf8(script), folder, QString::fromUtf8(name),
                             QString::fromUtf8(version), QString::fromUtf8(files)});
    QVERIFY(python.waitForFinished());
    QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
}

} // namespace

class TestTorch : public QObject {
    Q_OBJECT

private slots:
    void isFoundWithoutRunningAnything_data()
    {
        QTest::addColumn<QString>("site");
        QTest::newRow("our own cache") << "cache/torch/2.14.1+cu130";
        QTest::newRow("a venv in the home") << "home/work/.venv/lib/python3.11/site-packages";
        QTest::newRow("conda") << "home/miniforge3/envs/train/lib/python3.12/site-packages";
        QTest::newRow("pip --user") << "home/.local/lib/python3.11/site-packages";
        QTest::newRow("the system's") << "root/usr/local/lib/python3.11/dist-packages";
        QTest::newRow("a python in PATH") << "sw/python/lib/python3.13/site-packages";
        QTest::newRow("PYTHONPATH") << "somewhere/packages";
        QTest::newRow("a module") << "apps/pytorch/lib/python3.10/site-packages";
        QTest::newRow("the active environment") << "active/lib64/python3.11/site-packages";
    }
    void isFoundWithoutRunningAnything()
    {
        QFETCH(QString, site);
        AgentBox box;
        makeTorch(box.path(site));
        write(box.path("home/work/.venv/pyvenv.cfg"), "");
        write(box.path("home/miniforge3/condabin/conda"), "");
        write(box.path("sw/python/bin/python3"), "");
        write(box.path("modules/pytorch/2.14"),
              "#%Module\nset root " + box.path("apps").toUtf8() + "\nprepend-path PATH $root/pytorch/bin\n");
        const auto at = [&box](const char* name) { return box.path(QString::fromLatin1(name)).toStdString(); };
        const auto found = findTorches({at("home"), at("cache"), at("sw/python/bin"), at("somewhere/packages"),
                                        at("active"), at("modules"), at("root")});
        QCOMPARE(found.size(), 1u);
        QCOMPARE(QString::fromStdString(found[0].path), QFileInfo(box.path(site + "/torch")).canonicalFilePath());
        QCOMPARE(found[0].version, std::string("2.14.1+cu130"));
        QCOMPARE(found[0].cuda, std::string("13.0"));
        QCOMPARE(found[0].nccl, std::string("2.30.7"));
        QVERIFY(found[0].hasCuda);
    }

    void moduleFilesAreRead_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("prefixes");
        QTest::newRow("Tcl") << QByteArray("#%Module1.0\nset version 2.14\nset prefix /sw/pytorch/${version}\n"
                                           "prepend-path PATH $prefix/bin\nprepend-path PYTHONPATH \"/sw/site\"\n")
                             << QByteArray("/sw/pytorch/2.14 /sw/site");
        QTest::newRow("Lua") << QByteArray(
                                    "local root = \"/apps/torch/bin\"\nprepend_path(\"PATH\", root)\n"
                                    "prepend_path('PYTHONPATH', '/apps/site')\n-- prepend_path('PATH','/no/bin')\n")
                             << QByteArray("/apps/torch /apps/site");
        QTest::newRow("what is computed is not known")
            << QByteArray("prepend-path PATH $unknown/bin\nprepend-path PATH [exec whoami]/bin\n") << QByteArray();
    }
    void moduleFilesAreRead()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, prefixes);
        QByteArrayList found;
        for (const std::string& prefix : prefixesIn(text.toStdString()))
            found += QByteArray::fromStdString(prefix);
        QCOMPARE(found.join(' '), prefixes);
    }

    void itsLibrariesLieBesideTheBundle()
    {
        AgentBox box;
        makeTorch(box.path("site"));
        const QByteArray head =
            "bundle - 0 hash=abc123 files=0 torch=" + box.path("site/torch").toUtf8() + " torch_version=";
        const AgentAnswer done = box.verb({"receive", "abc123"}, head + "2.14.1+cu130\nend - 0\nend - 0\n");
        QVERIFY2(done.exitCode == 0, done.out.constData());
        const QDir bundle(box.path("cache/bundles/abc123"));
        QCOMPARE(bundle.entryList(QDir::Files, QDir::Name),
                 QStringList({"libcudart.so.13", "libnccl.so.2", "libtorch_cuda.so"}));
        QCOMPARE(AgentBox::contentOf(bundle.filePath("libcudart.so.13")), QByteArray("cudart"));
        // Somebody updates that environment: the links would mean another torch.
        write(box.path("site/torch/version.py"), "__version__ = '2.15.0+cu130'\n");
        const AgentAnswer other = box.verb({"receive", "abc123"}, head + "2.14.1+cu130\nend - 0\nend - 0\n");
        QCOMPARE(other.last()["code"], QByteArray("not_found"));
        QVERIFY2(other.last()["text"].contains("is 2.15.0+cu130 now"), other.last()["text"].constData());
    }

    void isFetchedByTheNodesOwnPip_data()
    {
        QTest::addColumn<QByteArray>("package");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("words"); // of the failure; empty: it comes
        QTest::newRow("it comes") << QByteArray("torch==2.14.1") << QByteArray("1000000") << QByteArray();
        QTest::newRow("no such version") << QByteArray("torch==9.9") << QByteArray("1000000")
                                         << QByteArray("torch==9.9");
        QTest::newRow("no room") << QByteArray("torch==2.14.1") << QByteArray("900000000000000")
                                 << QByteArray("MB free");
        QTest::newRow("an option is no package")
            << QByteArray("--index-url=x") << QByteArray("1") << QByteArray("can't be");
    }
    void isFetchedByTheNodesOwnPip()
    {
        QFETCH(QByteArray, package);
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, words);
        AgentBox box;
        makeWheel(box.path("wheels"), "torch", "2.14.1",
                  "torch/version.py|" + QByteArray(kVersionFile).replace("\n", "\\n") +
                      "\ntorch/lib/libtorch_cuda.so|cuda\ntorch/__init__.py|raise SystemExit('never run')\n");
        makeWheel(box.path("wheels"), "nvidia-nccl-cu13", "2.30.7", "nvidia/nccl/lib/libnccl.so.2|nccl\n");
        qputenv("PIP_NO_INDEX", "1"); // the user's own configuration of pip: here a folder, elsewhere a mirror
        qputenv("PIP_FIND_LINKS", box.path("wheels").toUtf8());
        const auto agent = box.start({"fetch-torch"});
        agent->write("fetch - 0 version=2.14.1+cu130 bytes=" + bytes + "\npackage - 0 spec=" + package + "\nend - 0\n");
        QByteArray out;
        while (agent->waitForReadyRead(kFetchMs))
            out += agent->readAllStandardOutput();
        agent->waitForFinished(kFetchMs);
        const QList<AgentRecord> records = recordsOf(out + agent->readAllStandardOutput());
        QVERIFY(!records.isEmpty());
        const AgentRecord last = records.last();
        QCOMPARE(QDir(box.path("cache/torch")).entryList(QDir::Dirs | QDir::Hidden | QDir::NoDotAndDotDot).size(),
                 words.isEmpty() ? 1 : 0); // nothing half is left
        if (!words.isEmpty()) {
            QCOMPARE(last.kind, QByteArray("error"));
            QVERIFY2(last["text"].contains(words), last["text"].constData());
            return;
        }
        QVERIFY2(last.kind == "done", last["text"].constData());
        QCOMPARE(QString::fromUtf8(last["path"]), box.path("cache/torch/2.14.1+cu130/torch"));
        const auto found =
            findTorches({"/nowhere", box.path("cache").toStdString(), "", "", "", "/nowhere", "/nowhere"});
        QCOMPARE(found.size(), 1u);
        QVERIFY(found[0].hasCuda);
    }

    void sumsAreRight() // FIPS 180-4's own examples
    {
        const auto sum = [](const std::string& text) {
            Sha256 hash;
            hash.add(text);
            return hash.hex();
        };
        QCOMPARE(sum("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        QCOMPARE(sum(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
        QCOMPARE(sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                 std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    }
};

QTEST_GUILESS_MAIN(TestTorch)
#include "tst_torch.moc"
