// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/e2e/userdesk.h"

#include "tests/e2e/spoolbytes.h"
#include "tests/support/testcluster.h"

#include <QDir>
#include <QFile>

namespace lockstep::test {

namespace {

using namespace std::chrono_literals;

constexpr auto kAnswerTime = 120s;
constexpr char kProgram[] = LOCKSTEP_BIN_DIR "/lockstep";
constexpr char kRanks[] = LOCKSTEP_SOURCE_DIR "/tests/e2e/ranks/";

void write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("%s: %s", qPrintable(path), qPrintable(file.errorString()));
}

} // namespace

UserDesk::UserDesk()
{
    for (const char* name : {"home", "runtime"})
        QDir(m_folder.path()).mkdir(QString::fromLatin1(name));
    QFile::setPermissions(path("runtime"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    environment.insert("HOME", path("home"));
    environment.insert("PATH", "/usr/bin:/bin");
    environment.insert("LANG", "C.UTF-8");
    environment.insert("XDG_RUNTIME_DIR", path("runtime"));
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    environment.insert("LSAN_OPTIONS", qEnvironmentVariable("LSAN_OPTIONS"));
    environment.insert("LOCKSTEP_DATA", path("data"));
    environment.insert("LOCKSTEP_SSH_CONFIG", TestCluster::file("ssh_config"));
}

std::unique_ptr<Program> UserDesk::start(const QStringList& words) const
{
    return std::make_unique<Program>(QString::fromLocal8Bit(kProgram), words, environment);
}

Answer UserDesk::ask(const QStringList& words) const
{
    return start(words)->end(kAnswerTime);
}

void UserDesk::setInventory(const QByteArray& hostfile)
{
    QFile::remove(path("data/inventory.toml"));
    write(path("hostfile"), hostfile);
    const Answer answer = ask({"nodes", "import", path("hostfile")});
    if (answer.exitCode != 0)
        qFatal("lockstep nodes import: %s", answer.err.constData());
}

QString UserDesk::writeSpec(const QByteArray& toml) const
{
    const QString spec = path("spec.toml");
    write(spec, toml);
    return spec;
}

void UserDesk::setRankProgram(const QString& script)
{
    const QString bundle = path("bundle-" + script), program = bundle + "/lockstep-trainer";
    QDir().mkpath(bundle);
    if (!QFile::copy(QString::fromLocal8Bit(kRanks) + script, program))
        qFatal("%s can't be copied", qPrintable(script));
    QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    environment.insert("LOCKSTEP_BUNDLE", bundle);
}

QByteArray UserDesk::storedSpool(const QString& run, const QString& node) const
{
    const QDir folder(path("data/runs/" + run));
    QStringList paths;
    for (const QString& name : folder.entryList({node + ".spool.0*"}, QDir::Files, QDir::Name))
        paths << folder.filePath(name);
    return spoolBytes(paths << folder.filePath(node + ".spool")); // the newest bytes have no number
}

QJsonObject UserDesk::shown(const QString& run) const
{
    return ask({"show", run, "--json"}).object();
}

} // namespace lockstep::test
