// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/resultsshelf.h"

#include "core/atomicfile.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

namespace lockstep {

namespace {

constexpr qsizetype kHashDigits = 32;

// NODE/a/b of "a/b", NODE:root/a/b of "/a/b" (no node's name has a colon); nullopt: it would leave the folder.
std::optional<QString> placeOf(const QString& node, const QByteArray& path)
{
    const bool absolute = path.startsWith('/');
    const QByteArray inside = path.mid(absolute ? 1 : 0);
    for (const QByteArray& part : inside.split('/'))
        if (part.isEmpty() || part == "." || part == ".." || part.contains('\0'))
            return std::nullopt;
    return node + (absolute ? QStringLiteral(":root/") : QStringLiteral("/")) + QFile::decodeName(inside);
}

bool isHash(const QByteArray& text)
{
    return text.size() == kHashDigits && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

} // namespace

ResultsShelf::ResultsShelf(QString resultsFolder, QString node)
    : m_folder(std::move(resultsFolder)), m_node(std::move(node))
{
    QFile file(m_folder + QLatin1Char('/') + m_node + QStringLiteral(".tsv"));
    if (!file.open(QIODevice::ReadOnly))
        return;
    for (const QByteArray& line : file.readAll().split('\n')) { // hash TAB size TAB path, percent-encoded
        const QList<QByteArray> parts = line.split('\t');
        if (parts.size() != 3 || !isHash(parts[0]))
            continue;
        ResultEntry entry{m_node, QByteArray::fromPercentEncoding(parts[2]), parts[0], parts[1].toLongLong(), 0, {}};
        const auto place = placeOf(m_node, entry.path);
        if (!place)
            continue;
        entry.file = m_folder + QLatin1Char('/') + *place;
        const QFileInfo incoming(incomingFile(entry)), whole(entry.file);
        if (incoming.exists() && entry.size > 0)
            entry.bytes = std::min(incoming.size(), entry.size - 1);
        else if (whole.exists() && whole.size() == entry.size)
            entry.bytes = entry.size;
        else
            continue; // removed here: it is wanted again
        m_entries.append(entry);
    }
}

QString ResultsShelf::incomingFile(const ResultEntry& entry) const
{
    return m_folder + QStringLiteral("/.incoming/") + m_node + QLatin1Char('/') + QString::fromLatin1(entry.hash);
}

Result<ResultEntry> ResultsShelf::begin(const QByteArray& path, const QByteArray& hash, qint64 size)
{
    const auto place = placeOf(m_node, path);
    if (!place || !isHash(hash) || size < 0)
        return failure(
            ErrorCode::BadInput,
            QStringLiteral("%1 offers a result file that can't be: %2").arg(m_node, QString::fromUtf8(path.left(200))),
            m_node);
    ResultEntry entry{m_node, path, hash, size, 0, m_folder + QLatin1Char('/') + *place};
    const QFileInfo incoming(incomingFile(entry));
    if (!QDir().mkpath(incoming.path()))
        return failure(ErrorCode::Io, QStringLiteral("%1 cannot be made").arg(incoming.path()));
    entry.bytes = incoming.exists() ? incoming.size() : 0;
    m_entries.removeIf([&](const ResultEntry& other) { return other.path == path; });
    m_entries.append(entry);
    if (auto saved = save(); !saved)
        return std::unexpected(saved.error());
    return entry;
}

Result<void> ResultsShelf::finish(const ResultEntry& entry)
{
    QDir().mkpath(QFileInfo(entry.file).path());
    const QString incoming = incomingFile(entry);
    if (::rename(QFile::encodeName(incoming).constData(), QFile::encodeName(entry.file).constData()) != 0)
        return failure(ErrorCode::Io,
                       QStringLiteral("%1 cannot be put in place: %2").arg(entry.file, qt_error_string()));
    for (ResultEntry& own : m_entries)
        if (own.path == entry.path)
            own.bytes = own.size;
    return {};
}

void ResultsShelf::drop(const ResultEntry& entry)
{
    QFile::remove(incomingFile(entry));
    m_entries.removeIf([&](const ResultEntry& other) { return other.path == entry.path; });
}

Result<void> ResultsShelf::save() const
{
    QByteArray text;
    for (const ResultEntry& entry : m_entries)
        text += entry.hash + '\t' + QByteArray::number(entry.size) + '\t' + entry.path.toPercentEncoding("/") + '\n';
    return writeAtomically(m_folder + QLatin1Char('/') + m_node + QStringLiteral(".tsv"), text);
}

QList<ResultEntry> ResultsShelf::all(const QString& resultsFolder)
{
    QList<ResultEntry> entries;
    for (const QString& name : QDir(resultsFolder).entryList({QStringLiteral("*.tsv")}, QDir::Files, QDir::Name)) {
        QList<ResultEntry> own = ResultsShelf(resultsFolder, name.chopped(4)).entries();
        std::sort(own.begin(), own.end(), [](const auto& left, const auto& right) { return left.path < right.path; });
        entries += own;
    }
    return entries;
}

} // namespace lockstep
