// SPDX-License-Identifier: GPL-3.0-or-later
// The result files of one node of a run, as they were fetched: results/NODE/PATH, and
// results/NODE:root/PATH of an absolute one. What is not whole yet lies under
// results/.incoming/NODE by its hash; results/NODE.tsv knows both, so that a fetch goes on where it was cut. Any one
// thread at a time.
#pragma once

#include "core/error.h"

#include <QByteArray>
#include <QList>
#include <QString>

namespace lockstep {

struct ResultEntry {
    QString node;
    QByteArray path; // on the node: inside the working directory, or absolute
    QByteArray hash;
    qint64 size = 0;
    qint64 bytes = 0; // here; less than size: not whole
    QString file;     // here, where it is or will be

    bool operator==(const ResultEntry&) const = default;
    [[nodiscard]] bool isWhole() const { return bytes == size; }
};

struct RunResults { // of a run, as a screen shows them
    QString folder;
    QList<ResultEntry> files;
    bool fetching = false;
    QString missing; // why the last fetch did not bring all; empty: it did, or there was none

    bool operator==(const RunResults&) const = default;
};

class ResultsShelf {
public:
    ResultsShelf(QString resultsFolder, QString node);

    [[nodiscard]] const QList<ResultEntry>& entries() const { return m_entries; }
    // Of a content that is about to come, or to go on: the entry with the bytes that are kept. Failure BadInput: a path
    // that would leave the folder.
    [[nodiscard]] Result<ResultEntry> begin(const QByteArray& path, const QByteArray& hash, qint64 size);
    [[nodiscard]] QString incomingFile(const ResultEntry& entry) const;
    // The content is whole and checked: it takes its name.
    [[nodiscard]] Result<void> finish(const ResultEntry& entry);
    void drop(const ResultEntry& entry); // it was not what was announced

    // Of all nodes of a run, by node and path.
    [[nodiscard]] static QList<ResultEntry> all(const QString& resultsFolder);

private:
    [[nodiscard]] Result<void> save() const;

    QString m_folder, m_node;
    QList<ResultEntry> m_entries;
};

} // namespace lockstep
