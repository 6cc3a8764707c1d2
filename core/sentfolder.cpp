// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sentfolder.h"

#include "core/wire/glob.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <filesystem>

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr qsizetype kMostFiles = 100'000; // a home or a data set was named by mistake
constexpr qint64 kMostBytes = 20LL * 1000 * 1000 * 1000;
constexpr qint64 kMaxRuleFileBytes = 1 << 20;

std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

// Blanks at the end of a line count only behind a backslash.
QByteArray withoutBlanks(QByteArray line)
{
    if (line.endsWith('\r'))
        line.chop(1);
    while (line.endsWith(' ') && !line.endsWith("\\ "))
        line.chop(1);
    return line;
}

QList<IgnoreRule> rulesOf(const QString& file, const QByteArray& base)
{
    QFile open(file);
    if (!open.open(QIODevice::ReadOnly))
        return {};
    return parseIgnoreRules(open.read(kMaxRuleFileBytes), base);
}

QList<IgnoreRule> rulesIn(const QString& folder, const QByteArray& base)
{
    return rulesOf(folder + QStringLiteral("/.gitignore"), base) +
           rulesOf(folder + QStringLiteral("/.lockstepignore"), base);
}

class Walk {
public:
    explicit Walk(const QString& folder) : m_top(repositoryOf(folder))
    {
        m_sent.folder = folder;
        m_prefix = QFile::encodeName(QDir(m_top).relativeFilePath(folder));
        if (m_prefix == ".")
            m_prefix.clear();
    }

    Result<SentFolder> read()
    {
        QList<IgnoreRule> rules = rulesOf(m_top + QStringLiteral("/.git/info/exclude"), {});
        QByteArray above; // the folders between the repository's top and ours
        if (!m_prefix.isEmpty()) {
            rules += rulesIn(m_top, {});
            const QList<QByteArray> parts = m_prefix.split('/');
            for (qsizetype i = 0; i + 1 < parts.size(); ++i) {
                above += (above.isEmpty() ? "" : "/") + parts[i];
                rules += rulesIn(m_top + QLatin1Char('/') + QFile::decodeName(above), above);
            }
        }
        if (auto walked = walk({}, rules); !walked)
            return std::unexpected(walked.error());
        std::sort(m_sent.paths.begin(), m_sent.paths.end());
        return m_sent;
    }

private:
    static QString repositoryOf(const QString& folder)
    {
        for (QDir dir(folder);;) {
            if (dir.exists(QStringLiteral(".git")))
                return dir.absolutePath();
            if (!dir.cdUp())
                return QDir(folder).absolutePath();
        }
    }

    [[nodiscard]] QByteArray inRepository(const QByteArray& path) const
    {
        return m_prefix.isEmpty() ? path : path.isEmpty() ? m_prefix : m_prefix + '/' + path;
    }

    Result<void> walk(const QByteArray& inside, QList<IgnoreRule> rules)
    {
        const QString folder = inside.isEmpty() ? m_sent.folder : m_sent.folder + u'/' + QFile::decodeName(inside);
        rules += rulesIn(folder, inRepository(inside));
        std::error_code error;
        const fs::path path(QFile::encodeName(folder).toStdString());
        for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
            const QByteArray name = QByteArray::fromStdString(it->path().filename().string());
            const QByteArray each = inside.isEmpty() ? name : inside + '/' + name;
            std::error_code none;
            const bool isFolder = it->is_directory(none) && !it->is_symlink(none);
            if (name == ".git" || isIgnored(rules, inRepository(each), isFolder ? PathKind::Folder : PathKind::File)) {
                ++m_sent.ignored;
                continue;
            }
            if (auto taken = isFolder ? walk(each, rules) : take(each, *it); !taken)
                return taken;
        }
        if (error)
            return failure(
                ErrorCode::Io,
                QStringLiteral("%1 cannot be read: %2").arg(folder, QString::fromStdString(error.message())));
        return {};
    }

    Result<void> take(const QByteArray& path, const fs::directory_entry& entry)
    {
        std::error_code error;
        if (!entry.is_regular_file(error)) { // a socket, a pipe, a link to nothing
            ++m_sent.ignored;
            return {};
        }
        m_sent.paths.append(path);
        m_sent.bytes += static_cast<qint64>(entry.file_size(error));
        if (m_sent.paths.size() > kMostFiles || m_sent.bytes > kMostBytes)
            return failure(
                ErrorCode::BadInput,
                QStringLiteral("The folder %1 holds more than %2 files or %3 GB. Name a smaller one, or leave "
                               "data out by a line in its .lockstepignore.")
                    .arg(m_sent.folder)
                    .arg(kMostFiles)
                    .arg(kMostBytes / 1'000'000'000));
        return {};
    }

    QString m_top;
    QByteArray m_prefix; // of our folder inside the repository
    SentFolder m_sent;
};

} // namespace

QList<IgnoreRule> parseIgnoreRules(const QByteArray& text, const QByteArray& base)
{
    QList<IgnoreRule> rules;
    for (const QByteArray& raw : text.split('\n')) {
        QByteArray line = withoutBlanks(raw);
        if (line.isEmpty() || line.startsWith('#'))
            continue;
        IgnoreRule rule{base, {}, false, false, false};
        if (line.startsWith('!')) {
            rule.takesBack = true;
            line.remove(0, 1);
        }
        if (line.endsWith('/')) {
            rule.foldersOnly = true;
            line.chop(1);
        }
        rule.anchored = line.contains('/');
        if (line.startsWith('/'))
            line.remove(0, 1);
        rule.pattern = line;
        if (!line.isEmpty())
            rules.append(rule);
    }
    return rules;
}

bool isIgnored(const QList<IgnoreRule>& rules, const QByteArray& path, PathKind kind)
{
    for (auto rule = rules.rbegin(); rule != rules.rend(); ++rule) {
        if (rule->foldersOnly && kind != PathKind::Folder)
            continue;
        if (!rule->base.isEmpty() && !path.startsWith(rule->base + '/'))
            continue;
        const QByteArray inside = rule->base.isEmpty() ? path : path.mid(rule->base.size() + 1);
        const QByteArray name = inside.mid(inside.lastIndexOf('/') + 1);
        if (wire::globMatches(view(rule->pattern), view(rule->anchored ? inside : name)))
            return !rule->takesBack;
    }
    return false;
}

QString SentFolder::words() const
{
    const double mb = static_cast<double>(bytes) / 1e6;
    return QStringLiteral("%1 %2, %3 MB")
        .arg(paths.size())
        .arg(paths.size() == 1 ? QStringLiteral("file") : QStringLiteral("files"))
        .arg(mb, 0, 'f', mb < 10 ? 1 : 0);
}

Result<SentFolder> SentFolder::read(const QString& folder)
{
    if (!QFileInfo(folder).isDir())
        return failure(
            ErrorCode::NotFound,
            QStringLiteral("The folder %1 that is to go with the run %2.")
                .arg(folder, QFileInfo::exists(folder) ? QStringLiteral("is a file") : QStringLiteral("is not there")));
    auto sent = Walk(folder).read();
    if (sent && sent->paths.isEmpty())
        return failure(
            ErrorCode::BadInput,
            QStringLiteral("Nothing of the folder %1 would go with the run: it is empty, or all of it is ignored.")
                .arg(folder));
    return sent;
}

} // namespace lockstep
