// SPDX-License-Identifier: GPL-3.0-or-later
// The real lockstep-agent in folders of its own, for tests. What it started is gone when it goes.
#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QProcess>
#include <QString>
#include <QTemporaryDir>

#include <memory>

struct AgentRecord {
    QByteArray kind;
    int rank = -1;
    qint64 timeUs = 0;
    QMap<QByteArray, QByteArray> fields; // unescaped

    [[nodiscard]] QByteArray operator[](const char* key) const { return fields.value(key); }
};
[[nodiscard]] QList<AgentRecord> recordsOf(const QByteArray& bytes);
// The records of a kind and, when given, with phase=PHASE and of a rank (-1: the node).
[[nodiscard]] QList<AgentRecord> ofKind(const QList<AgentRecord>& records, const char* kind);
[[nodiscard]] QList<AgentRecord> phases(const QList<AgentRecord>& records, int rank, const char* phase);

struct AgentAnswer {
    int exitCode = -1;
    QByteArray out;
    QByteArray err;
    QList<AgentRecord> records; // of stdout

    [[nodiscard]] AgentRecord last() const { return records.isEmpty() ? AgentRecord() : records.last(); }
};

struct TestRank {
    QList<QByteArray> argv;
    QList<std::pair<QByteArray, QByteArray>> env;
    QByteArray cpus{};
};

struct TestJob {
    QByteArray run = "run";
    int attempt = 1;
    QByteArray cwd;
    int graceS = 1;
    int holdS = 60;
    int segmentBytes = 0; // 0: the agent's own
    bool shareDevices = false;
    QList<TestRank> ranks;

    [[nodiscard]] QByteArray text() const;
};
[[nodiscard]] TestRank shellRank(const QByteArray& script);
[[nodiscard]] TestRank probeRank(const QList<QByteArray>& words); // rankprobe.cpp

class AgentBox {
public:
    AgentBox();
    ~AgentBox();

    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    [[nodiscard]] QString runFolder(const QByteArray& run) const { return path("runs/" + run); }

    // Starts a verb; its stdin stays open.
    [[nodiscard]] std::unique_ptr<QProcess> start(const QStringList& words) const;
    // Runs a verb with `input` on a stdin that then ends.
    [[nodiscard]] AgentAnswer verb(const QStringList& words, const QByteArray& input = {}) const;
    [[nodiscard]] AgentAnswer launch(const TestJob& job) const;                     // with go
    [[nodiscard]] AgentAnswer follow(const QByteArray& run, qint64 from = 0) const; // to the end of the spool
    [[nodiscard]] AgentRecord listed(const QByteArray& run) const;

    [[nodiscard]] QByteArray spool(const QByteArray& run) const; // read from the files, decompressed
    [[nodiscard]] QList<AgentRecord> records(const QByteArray& run) const { return recordsOf(spool(run)); }
    [[nodiscard]] qint64 supervisor(const QByteArray& run) const { return listed(run)["pid"].toLongLong(); }

    static bool isRunning(qint64 pid); // a zombie is not
    static QList<qint64> pidsIn(const QString& file);
    static QByteArray contentOf(const QString& file);

private:
    QTemporaryDir m_folder;
};
