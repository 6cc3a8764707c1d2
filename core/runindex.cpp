// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runindex.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QFile>
#include <QLoggingCategory>

namespace lockstep {
namespace {

Q_LOGGING_CATEGORY(lcIndex, "lockstep.index")

constexpr int kSchema = 1;    // another number: the file is made anew
constexpr int kBusyMs = 2000; // another lockstep writes

std::string utf8(const QString& text)
{
    return text.toStdString();
}

void makeSchema(SQLite::Database& database)
{
    database.exec("PRAGMA synchronous = OFF"); // a cache
    if (database.execAndGet("PRAGMA user_version").getInt() == kSchema)
        return;
    database.exec("DROP TABLE IF EXISTS runs");
    database.exec(
        "CREATE TABLE runs (id TEXT PRIMARY KEY, changed_ns INTEGER, bytes INTEGER, number INTEGER, name TEXT, phase "
        "TEXT, reason TEXT, nodes INTEGER, "
        "ranks INTEGER, created_us INTEGER, ended_us INTEGER, last_loss TEXT, sparkline BLOB, tags TEXT, note TEXT)");
    database.exec("PRAGMA user_version = " + std::to_string(kSchema));
}

RunIndex::Row rowOf(SQLite::Statement& query)
{
    const auto text = [&](int column) { return QString::fromStdString(query.getColumn(column).getString()); };
    RunIndex::Row row;
    row.summary.id = text(0);
    row.stamp = {query.getColumn(1).getInt64(), query.getColumn(2).getInt64()};
    row.summary.number = query.getColumn(3).getInt();
    row.summary.name = text(4);
    row.summary.phase = runPhaseOf(text(5)).value_or(RunPhase::Lost);
    row.summary.reason = text(6);
    row.summary.nodes = query.getColumn(7).getInt();
    row.summary.ranks = query.getColumn(8).getInt();
    row.summary.createdWallUs = query.getColumn(9).getInt64();
    row.summary.endedWallUs = query.getColumn(10).getInt64();
    row.summary.lastLoss = text(11).toDouble(); // text: SQLite has no NaN
    const SQLite::Column blob = query.getColumn(12);
    const auto values = static_cast<std::size_t>(blob.getBytes()) / sizeof(float);
    row.summary.sparkline.resize(values);
    if (values > 0)
        std::memcpy(row.summary.sparkline.data(), blob.getBlob(), values * sizeof(float));
    row.summary.tags = text(13).split(u'\n', Qt::SkipEmptyParts);
    row.summary.note = text(14);
    return row;
}

void bindRow(SQLite::Statement& insert, const RunIndex::Row& row)
{
    const RunSummary& run = row.summary;
    insert.bind(1, utf8(run.id));
    insert.bind(2, static_cast<int64_t>(row.stamp.changedNs));
    insert.bind(3, static_cast<int64_t>(row.stamp.bytes));
    insert.bind(4, run.number);
    insert.bind(5, utf8(run.name));
    insert.bind(6, std::string(toString(run.phase)));
    insert.bind(7, utf8(run.reason));
    insert.bind(8, run.nodes);
    insert.bind(9, run.ranks);
    insert.bind(10, static_cast<int64_t>(run.createdWallUs));
    insert.bind(11, static_cast<int64_t>(run.endedWallUs));
    insert.bind(12, QByteArray::number(run.lastLoss, 'g', 17).toStdString());
    insert.bind(13, run.sparkline.data(), static_cast<int>(run.sparkline.size() * sizeof(float)));
    insert.bind(14, utf8(run.tags.join(u'\n')));
    insert.bind(15, utf8(run.note));
}

} // namespace

struct RunIndex::Database {
    explicit Database(const QString& path) : sqlite(utf8(path), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyMs)
    {
        makeSchema(sqlite);
    }
    SQLite::Database sqlite;
};

RunIndex::RunIndex(QString path) : m_path(std::move(path)) {}

RunIndex::~RunIndex() = default;

// SQLiteCpp throws; nothing of it leaves this file.
RunIndex::Database* RunIndex::open()
{
    if (m_database && QFile::exists(m_path))
        return m_database.get();
    m_database.reset();
    for (int attempt = 0; attempt < 2 && !m_database; ++attempt) {
        try {
            m_database = std::make_unique<Database>(m_path);
            QFile::setPermissions(m_path, QFile::ReadOwner | QFile::WriteOwner);
        } catch (const SQLite::Exception& error) {
            qCWarning(lcIndex) << "the index of runs is made anew:" << error.what();
            QFile::remove(m_path);
        }
    }
    return m_database.get();
}

QHash<QString, RunIndex::Row> RunIndex::rows()
{
    for (int attempt = 0; attempt < 2; ++attempt) {
        Database* database = open();
        if (!database)
            return {};
        try {
            QHash<QString, Row> rows;
            SQLite::Statement query(database->sqlite, "SELECT * FROM runs");
            while (query.executeStep()) {
                const Row row = rowOf(query);
                rows.insert(row.summary.id, row);
            }
            return rows;
        } catch (const SQLite::Exception& error) {
            qCWarning(lcIndex) << "the index of runs can't be read and is made anew:" << error.what();
            m_database.reset();
            QFile::remove(m_path);
        }
    }
    return {};
}

void RunIndex::replace(const QList<Row>& changed, const QStringList& removed)
{
    Database* database = changed.isEmpty() && removed.isEmpty() ? nullptr : open();
    if (!database)
        return;
    try {
        SQLite::Transaction transaction(database->sqlite);
        SQLite::Statement insert(database->sqlite,
                                 "INSERT OR REPLACE INTO runs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
        for (const Row& row : changed) {
            bindRow(insert, row);
            insert.exec();
            insert.reset();
        }
        SQLite::Statement remove(database->sqlite, "DELETE FROM runs WHERE id = ?");
        for (const QString& id : removed) {
            remove.bind(1, utf8(id));
            remove.exec();
            remove.reset();
        }
        transaction.commit();
    } catch (const SQLite::Exception& error) {
        qCWarning(lcIndex) << "the index of runs can't be written:"
                           << error.what(); // it is built again at the next start
        m_database.reset();
    }
}

} // namespace lockstep
