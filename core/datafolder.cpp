// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/datafolder.h"

#include "core/atomicfile.h"

#include <QDir>
#include <QLoggingCategory>

namespace lockstep {
namespace {

Q_LOGGING_CATEGORY(lcStore, "lockstep.store")

} // namespace

DataFolder::DataFolder(QString path) : m_path(std::move(path))
{
    if (const Result<void> made = makePrivateFolder(m_path); !made)
        qCWarning(lcStore).noquote() << made.error().text; // every later call on it answers with its own error
}

QString DataFolder::standardPath()
{
    if (const QString own = qEnvironmentVariable("LOCKSTEP_DATA"); !own.isEmpty())
        return QDir(own).absolutePath();
    const QString xdg =
        qEnvironmentVariable("XDG_DATA_HOME"); // a relative one is to be ignored, says the XDG specification
    return (QDir::isAbsolutePath(xdg) ? xdg : QDir::homePath() + QStringLiteral("/.local/share")) +
           QStringLiteral("/lockstep");
}

QString DataFolder::inventoryFile() const
{
    return m_path + QStringLiteral("/inventory.toml");
}

QString DataFolder::indexFile() const
{
    return m_path + QStringLiteral("/index.sqlite");
}

QString DataFolder::runsFolder() const
{
    return m_path + QStringLiteral("/runs");
}

QString DataFolder::runFolder(const QString& id) const
{
    return runsFolder() + u'/' + id;
}

QString DataFolder::spoolFile(const QString& id, const QString& node) const
{
    return runFolder(id) + u'/' + node + QStringLiteral(".spool");
}

QString DataFolder::clocksFile(const QString& id, const QString& node) const
{
    return runFolder(id) + u'/' + node + QStringLiteral(".clocks");
}

QString DataFolder::resultsFolder(const QString& id) const
{
    return runFolder(id) + QStringLiteral("/results");
}

QString DataFolder::specsFolder() const
{
    return m_path + QStringLiteral("/specs");
}

} // namespace lockstep
