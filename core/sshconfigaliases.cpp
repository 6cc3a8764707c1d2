// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sshconfigaliases.h"

#include "core/atomicfile.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kDeepestInclude = 16; // ssh's own limit

QStringList wordsOf(const QString& line)
{
    static const QRegularExpression kWord(QStringLiteral("\"([^\"]*)\"|([^\\s\"]+)"));
    QStringList words;
    for (auto it = kWord.globalMatch(line); it.hasNext();) {
        const auto match = it.next();
        if (match.captured(2).startsWith(u'#'))
            break; // a comment, since OpenSSH 8.7
        words.append(match.captured(1) + match.captured(2));
    }
    return words;
}

QStringList expandGlob(QString pattern, const QString& sshFolder)
{
    if (pattern.startsWith(QLatin1String("~/")))
        pattern = QDir::homePath() + pattern.mid(1);
    if (QDir::isRelativePath(pattern))
        pattern = sshFolder + u'/' + pattern; // ssh looks beside the user's file
    const QFileInfo info(pattern);
    QStringList paths;
    const QFileInfoList found =
        QDir(info.path()).entryInfoList({info.fileName()}, QDir::Files | QDir::Hidden, QDir::Name);
    for (const QFileInfo& file : found)
        paths.append(file.filePath());
    return paths;
}

void addAlias(ImportedNodes& imported, const QString& alias, int line, const QString& file)
{
    if (alias.contains(u'*') || alias.contains(u'?') || alias.startsWith(u'!'))
        return;
    if (std::any_of(imported.nodes.begin(), imported.nodes.end(), [&](const Node& node) { return node.name == alias; }))
        return; // ssh, too, takes several blocks for one host
    const Result<void> named = checkNodeName(alias);
    const Result<Address> address = Address::parse(alias);
    if (!named || !address) {
        imported.problems.append({line, QStringLiteral("%1, line %2: %3")
                                            .arg(file)
                                            .arg(line)
                                            .arg(!named ? named.error().text : address.error().text)});
        return;
    }
    Node node;
    node.name = alias;
    node.address.host = alias;
    imported.nodes.append(node);
}

Result<void> readFile(const QString& path, const QString& sshFolder, int depth, ImportedNodes& imported)
{
    const Result<QByteArray> bytes = readWhole(path);
    if (!bytes)
        return std::unexpected(bytes.error());
    const QStringList lines = QString::fromUtf8(*bytes).split(u'\n');
    for (qsizetype i = 0; i < lines.size(); ++i) {
        static const QRegularExpression kLine(QStringLiteral("^\\s*([A-Za-z]+)\\s*[=\\s]\\s*(.*?)\\s*$"));
        const auto match = kLine.match(lines[i]);
        if (!match.hasMatch())
            continue;
        const QString keyword = match.captured(1).toLower();
        const int number = static_cast<int>(i) + 1;
        if (keyword == QLatin1String("host")) {
            for (const QString& alias : wordsOf(match.captured(2)))
                addAlias(imported, alias, number, QFileInfo(path).fileName());
        } else if (keyword == QLatin1String("include") && depth < kDeepestInclude) {
            for (const QString& pattern : wordsOf(match.captured(2))) {
                for (const QString& included : expandGlob(pattern, sshFolder)) {
                    if (const Result<void> read = readFile(included, sshFolder, depth + 1, imported); !read)
                        imported.problems.append({number, read.error().text});
                }
            }
        }
    }
    return {};
}

} // namespace

Result<ImportedNodes> importSshConfig(const QString& path)
{
    ImportedNodes imported;
    if (const Result<void> read = readFile(path, QFileInfo(path).path(), 0, imported); !read)
        return std::unexpected(read.error());
    if (imported.nodes.isEmpty() && imported.problems.isEmpty())
        return failure(ErrorCode::NotFound, QStringLiteral("%1 names no host without wildcards.").arg(path));
    return imported;
}

} // namespace lockstep
