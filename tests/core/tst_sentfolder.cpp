// SPDX-License-Identifier: GPL-3.0-or-later
// What goes with a run, held to git itself: the same files as `git ls-files --cached --others --exclude-standard`.
#include "core/sentfolder.h"
#include "core/wire/glob.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace lockstep;

namespace {

void write(const QString& path, const QByteArray& text)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
    file.write(text);
}

QByteArrayList gitsFiles(const QString& folder)
{
    QProcess git;
    git.setWorkingDirectory(folder);
    git.start(QStringLiteral("git"),
              {"-c", "core.excludesFile=/dev/null", "ls-files", "-z", "--others", "--exclude-standard"});
    if (!git.waitForFinished() || git.exitCode() != 0)
        qFatal("git: %s", git.readAllStandardError().constData());
    QByteArrayList files = git.readAllStandardOutput().split('\0');
    files.removeAll({});
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

class TstSentFolder : public QObject {
    Q_OBJECT

private slots:
    void matches_data();
    void matches();
    void leavesOutWhatGitLeavesOut_data();
    void leavesOutWhatGitLeavesOut();
    void agreesWithGitOnMadeTrees();
    void takesItsOwnRulesAfterGits();
    void knowsTheRulesAboveIt();
    void refuses();
};

void TstSentFolder::matches_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<bool>("right");
    const auto row = [](const char* pattern, const char* path, bool right) {
        QTest::addRow("%s %s", pattern, path) << QByteArray(pattern) << QByteArray(path) << right;
    };
    row("*.pt", "a.pt", true);
    row("*.pt", "a/b.pt", false);
    row("**/*.pt", "a/b/c.pt", true);
    row("**/*.pt", "c.pt", true);
    row("a/**", "a/b/c", true);
    row("a/**", "a", false);
    row("a/**/b", "a/b", true);
    row("a/**/b", "a/x/y/b", true);
    row("a**b", "a/b", false);
    row("?", "/", false);
    row("[a-c]x", "bx", true);
    row("[!a-c]x", "bx", false);
    row("[]]", "]", true);
    row("[[:digit:]]*", "7a", true);
    row("\\*", "*", true);
    row("\\*", "a", false);
    row("[", "[", false);
    row("a\\", "a\\", false);
    QTest::newRow("a pattern that would take years")
        << QByteArray("*a*a*a*a*a*a*a*a*a*a*a*a*b") << QByteArray(200, 'a') << false;
}

void TstSentFolder::matches()
{
    QFETCH(QByteArray, pattern);
    QFETCH(QByteArray, path);
    QFETCH(bool, right);
    QCOMPARE(wire::globMatches({pattern.constData(), std::size_t(pattern.size())},
                               {path.constData(), std::size_t(path.size())}),
             right);
}

void TstSentFolder::leavesOutWhatGitLeavesOut_data()
{
    QTest::addColumn<QByteArray>("rules");
    QTest::newRow("none") << QByteArray();
    QTest::newRow("names and folders") << QByteArray("*.pt\nbuild/\n");
    QTest::newRow("taken back") << QByteArray("*.pt\n!keep.pt\n");
    QTest::newRow("not out of an ignored folder") << QByteArray("sub\n!sub/keep.pt\n");
    QTest::newRow("only the top's") << QByteArray("/a.pt\n");
    QTest::newRow("a slash in the middle") << QByteArray("sub/a.pt\n");
    QTest::newRow("stars") << QByteArray("**/deep/**\nsub/*\n!sub/a.pt\n");
    QTest::newRow("comments and blanks") << QByteArray("# *.pt\n\n   \n\\#x\na.pt   \r\n");
    QTest::newRow("classes") << QByteArray("[a-k].pt\n[[:digit:]]*\n");
    QTest::newRow("all, but one") << QByteArray("/*\n!/sub\n/sub/*\n!/sub/keep.pt\n");
}

void TstSentFolder::leavesOutWhatGitLeavesOut()
{
    QFETCH(QByteArray, rules);
    QTemporaryDir folder;
    QProcess::execute(QStringLiteral("git"), {"init", "-q", folder.path()});
    for (const char* name : {"a.pt", "keep.pt", "train.py", "#x", "7up", "build/out.o", "sub/a.pt", "sub/keep.pt",
                             "sub/build/x", "sub/deep/er/file", "sub/naïve.txt"})
        write(folder.filePath(QString::fromUtf8(name)), name);
    write(folder.filePath(QStringLiteral(".gitignore")), rules);
    const auto sent = SentFolder::read(folder.path());
    QVERIFY2(sent.has_value(), sent ? "" : qPrintable(sent.error().text));
    QCOMPARE(QByteArrayList(sent->paths), gitsFiles(folder.path()));
}

void TstSentFolder::agreesWithGitOnMadeTrees()
{
    const QByteArrayList names{"a", "b.pt", "c.txt", "data", "x1"};
    const QByteArrayList parts{"a", "*.pt", "data", "**", "x?", "[a-c]*", "!a", "!*.pt", "c.*"};
    std::minstd_rand random(11);
    const auto any = [&random](const QByteArrayList& list) {
        return list[static_cast<qsizetype>(random() % static_cast<unsigned>(list.size()))];
    };
    for (int i = 0; i < 40; ++i) {
        QTemporaryDir folder;
        QProcess::execute(QStringLiteral("git"), {"init", "-q", folder.path()});
        for (int k = 0; k < 14; ++k) {
            QByteArray path; // folders end with _, so that no file has a folder's name
            for (auto depth = random() % 3; depth > 0; --depth)
                path += any(names) + "_/";
            path += any(names);
            const QString full = folder.filePath(QString::fromUtf8(path));
            if (!QFileInfo::exists(full))
                write(full, "x");
        }
        QByteArray rules;
        for (auto k = random() % 5; k > 0; --k)
            rules += any(parts) + (random() % 3 == 0 ? "_/" : "") +
                     (random() % 3 == 0 ? "/" + any(names) : QByteArray()) + '\n';
        write(folder.filePath(QStringLiteral(".gitignore")), rules);
        const auto sent = SentFolder::read(folder.path());
        const QByteArrayList expected = gitsFiles(folder.path());
        if (expected.isEmpty())
            continue;
        QVERIFY2(sent.has_value(), rules.constData());
        QVERIFY2(QByteArrayList(sent->paths) == expected,
                 ("rules:\n" + rules + "ours:\n" + QByteArrayList(sent->paths).join('\n') + "\ngit's:\n" +
                  expected.join('\n'))
                     .constData());
    }
}

void TstSentFolder::takesItsOwnRulesAfterGits()
{
    QTemporaryDir folder;
    for (const char* name : {"a.pt", "b.pt", "big.bin"})
        write(folder.filePath(QString::fromLatin1(name)), "x");
    write(folder.filePath(QStringLiteral(".gitignore")), "*.pt\n");
    write(folder.filePath(QStringLiteral(".lockstepignore")), "!b.pt\n*.bin\n.*ignore\n");
    const auto sent = SentFolder::read(folder.path());
    QVERIFY(sent.has_value());
    QCOMPARE(QByteArrayList(sent->paths), QByteArrayList{"b.pt"});
    QCOMPARE(sent->ignored, 4);
    QCOMPARE(sent->words(), QStringLiteral("1 file, 0.0 MB"));
}

void TstSentFolder::knowsTheRulesAboveIt()
{
    QTemporaryDir repository;
    QProcess::execute(QStringLiteral("git"), {"init", "-q", repository.path()});
    write(repository.filePath(QStringLiteral(".gitignore")), "*.pt\n/code/secret\n");
    for (const char* name : {"code/a.pt", "code/secret", "code/train.py", "other"})
        write(repository.filePath(QString::fromLatin1(name)), "x");
    const auto sent = SentFolder::read(repository.filePath(QStringLiteral("code")));
    QVERIFY(sent.has_value());
    QCOMPARE(QByteArrayList(sent->paths), QByteArrayList{"train.py"});
}

void TstSentFolder::refuses()
{
    QTemporaryDir folder;
    const auto empty = SentFolder::read(folder.path());
    QVERIFY(!empty.has_value());
    QVERIFY(empty.error().text.contains(QStringLiteral("it is empty")));
    const auto missing = SentFolder::read(folder.filePath(QStringLiteral("no")));
    QCOMPARE(missing.error().code, ErrorCode::NotFound);
}

QTEST_GUILESS_MAIN(TstSentFolder)
#include "tst_sentfolder.moc"
