// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ansiblevariables.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kMostFiles = 20000;                                  // the largest inventories have a file a host
constexpr qint64 kMostBytes = 1024 * 1024;                         // of one of them
constexpr int kDeepest = 8;                                        // folders in folders
constexpr const char* kEndings[] = {"", ".yml", ".yaml", ".json"}; // in Ansible's order

QString folderIn(const QString& folder, const QString& name)
{
    const QString path = folder + u'/' + name;
    return !folder.isEmpty() && QFileInfo(withHome(path)).isDir() ? path : QString();
}

// As Ansible does: hidden files, backups and files with other endings are left out.
QStringList filesIn(const QString& folder, int depth)
{
    QStringList files;
    const QFileInfoList found =
        QDir(withHome(folder)).entryInfoList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
    for (const QFileInfo& info : found) {
        const QString name = info.fileName(), path = folder + u'/' + name;
        const qsizetype dot = name.lastIndexOf(u'.');
        const QString ending = dot < 0 ? QString() : name.mid(dot);
        if (info.isDir() && ending.isEmpty() && depth < kDeepest)
            files += filesIn(path, depth + 1);
        else if (info.isFile() && !name.endsWith(u'~') &&
                 std::any_of(std::begin(kEndings), std::end(kEndings),
                             [&](const char* one) { return ending == QLatin1String(one); }))
            files += path;
    }
    return files;
}

// The first that is there: a folder or a file without an ending, then one with an ending.
QStringList filesOf(const QString& folder, const QString& name)
{
    for (const char* ending : kEndings) {
        const QString path = folder + u'/' + name + QLatin1String(ending);
        const QFileInfo info(withHome(path));
        if (info.isDir())
            return filesIn(path, 0);
        if (info.isFile()) // nothing that could hold up a reader
            return {path};
    }
    return {};
}

AnsibleVariablesRead readFile(const QString& path)
{
    QFile file(withHome(path));
    if (!file.open(QIODevice::ReadOnly))
        return std::unexpected(ImportedLine{1, QStringLiteral("it cannot be read: %1").arg(file.errorString()), {}});
    const QByteArray bytes = file.read(kMostBytes + 1);
    if (bytes.size() > kMostBytes)
        return std::unexpected(ImportedLine{1, QStringLiteral("it is larger than 1 MiB, and was not read"), {}});
    return readAnsibleVariables(bytes);
}

} // namespace

AnsibleVariableFiles::AnsibleVariableFiles(const QString& folder)
    : m_groups(folderIn(folder, QStringLiteral("group_vars"))), m_hosts(folderIn(folder, QStringLiteral("host_vars")))
{
}

AnsibleVariables AnsibleVariableFiles::ofGroup(const QString& group, ImportCollector& told)
{
    return read(m_groups, group, told);
}

AnsibleVariables AnsibleVariableFiles::ofHost(const QString& host, ImportCollector& told)
{
    return read(m_hosts, host, told);
}

AnsibleVariables AnsibleVariableFiles::read(const QString& folder, const QString& name, ImportCollector& told)
{
    AnsibleVariables all;
    if (folder.isEmpty() || name.isEmpty() || name.contains(u'/') || name.startsWith(u'.') || m_files > kMostFiles)
        return all; // a name that climbs names no file here
    const QStringList paths = filesOf(folder, name);
    for (const QString& path : paths) {
        if (++m_files > kMostFiles) {
            told.say(1,
                     QStringLiteral("there are more than %1 files of variables; the rest was not read").arg(kMostFiles),
                     path);
            return all;
        }
        AnsibleVariablesRead variables = readFile(path);
        if (!variables) {
            told.say(variables.error().line, variables.error().problem, path);
            continue;
        }
        for (AnsibleValue& value : *variables)
            value.file = path;
        all.insert(*variables);
    }
    return all;
}

} // namespace lockstep
