// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sshconfigaliases.h"

#include "core/atomicfile.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSet>

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

// "Match originalhost gpu1,gpu2 exec ...": names that a person types as well. A negated criterion names none.
QStringList originalHosts(const QStringList& criteria)
{
    for (qsizetype i = 0; i + 1 < criteria.size(); ++i)
        if (criteria[i].compare(QLatin1String("originalhost"), Qt::CaseInsensitive) == 0)
            return criteria[i + 1].split(u',', Qt::SkipEmptyParts);
    return {};
}

// The aliases of one Host line, until it is known whether they are names of one machine.
struct Block {
    QStringList aliases;
    QString file;
    int line = 0;
    bool oneMachine = false; // its HostName says so for all of them
};

class AliasReader {
public:
    explicit AliasReader(QString sshFolder) : m_sshFolder(std::move(sshFolder)) {}

    Result<void> read(const QString& path, int depth)
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
            const QStringList words = wordsOf(match.captured(2));
            const int number = static_cast<int>(i) + 1;
            if (keyword == QLatin1String("host") || keyword == QLatin1String("match")) {
                finishBlock();
                m_block = {keyword == QLatin1String("host") ? words : originalHosts(words),
                           depth == 0 ? QString() : path, number, false};
            } else if (keyword == QLatin1String("hostname")) {
                m_block.oneMachine = !words.isEmpty() && !words.first().contains(u'%');
            } else if (keyword == QLatin1String("include") && depth < kDeepestInclude) {
                include(words, depth, number);
            }
        }
        return {};
    }

    ImportedNodes take()
    {
        finishBlock();
        return std::move(m_imported);
    }

private:
    void include(const QStringList& patterns, int depth, int line)
    {
        for (const QString& pattern : patterns)
            for (const QString& included : expandGlob(pattern, m_sshFolder))
                if (const Result<void> done = read(included, depth + 1); !done)
                    m_imported.problems.append({line, done.error().text, {}});
    }

    void say(const QString& problem) { m_imported.problems.append({m_block.line, problem, m_block.file}); }

    void finishBlock()
    {
        QString first;
        QStringList others;
        for (const QString& alias : std::as_const(m_block.aliases)) {
            if (alias.contains(u'*') || alias.contains(u'?') || alias.startsWith(u'!'))
                continue;
            if (!first.isEmpty() && m_block.oneMachine)
                others.append(alias);
            else if (addAlias(alias) && first.isEmpty())
                first = alias;
        }
        if (!others.isEmpty())
            say(QStringLiteral("%1: other names of %2, of which one is enough")
                    .arg(others.join(QLatin1String(", ")), first));
        m_block = {};
    }

    bool addAlias(const QString& alias)
    {
        if (m_names.contains(alias))
            return true; // ssh, too, takes several blocks for one host
        const Result<void> named = checkNodeName(alias);
        const Result<Address> address = Address::parse(alias);
        if (!named || !address) {
            say(!named ? named.error().text : address.error().text);
            return false;
        }
        Node node;
        node.name = alias;
        node.address.host = alias;
        m_imported.nodes.append(node);
        m_names.insert(alias);
        return true;
    }

    QString m_sshFolder;
    Block m_block;
    QSet<QString> m_names;
    ImportedNodes m_imported;
};

} // namespace

Result<ImportedNodes> importSshConfig(const QString& path)
{
    AliasReader reader(QFileInfo(path).path());
    if (const Result<void> read = reader.read(path, 0); !read)
        return std::unexpected(read.error());
    ImportedNodes imported = reader.take();
    if (imported.nodes.isEmpty() && imported.problems.isEmpty())
        return failure(ErrorCode::NotFound, QStringLiteral("This ssh_config names no host without wildcards."));
    return imported;
}

} // namespace lockstep
