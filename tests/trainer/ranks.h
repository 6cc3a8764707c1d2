// SPDX-License-Identifier: GPL-3.0-or-later
// Real ranks for tests: lockstep-trainer processes on this machine that meet over loopback, each with a file as
// descriptor 3.
#pragma once

#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::test {

using Record = std::map<std::string, std::string>; // of a decoded line; "kind" and "rank" among the keys

struct Start { // of one rank, before it is started
    int rank = 0;
    QStringList options;
    QProcessEnvironment environment;
    bool absent = false;          // it is not started at all
    std::size_t addressSpace = 0; // bytes it may map; 0: no limit
};

class Ranks {
public:
    static constexpr int kDeadlineMs = 60'000;

    // world 0: one process without any of the launcher's variables.
    Ranks(int world, const QStringList& options, const std::function<void(Start&)>& adapt = {});
    ~Ranks(); // kills what still runs

    [[nodiscard]] bool finish(int deadlineMs = kDeadlineMs); // false: some still run
    [[nodiscard]] QProcess& process(int rank) { return *m_processes.at(static_cast<std::size_t>(rank)); }
    [[nodiscard]] int exitCode(int rank); // -1: killed by a signal, or still running
    [[nodiscard]] QByteArray errors(int rank) { return process(rank).readAllStandardError(); }
    [[nodiscard]] QByteArray metricBytes(int rank) const;
    // Fails the test when a line is no record.
    [[nodiscard]] std::vector<Record> records(int rank, const std::string& kind) const;
    [[nodiscard]] std::string fact(int rank, const std::string& key) const; // of the info records

private:
    QTemporaryDir m_folder;
    std::vector<std::unique_ptr<QProcess>> m_processes;
};

[[nodiscard]] QString trainerProgram();
[[nodiscard]] int freePort();
// What every test wants: small, quick and on the CPU.
[[nodiscard]] QStringList quick(const QStringList& more);

// What --dump-parameters and --dump-gradients wrote; empty when there is no such file.
[[nodiscard]] std::vector<float> floats(const QString& path);
[[nodiscard]] double relativeDistance(const std::vector<float>& a, const std::vector<float>& b); // L2

} // namespace lockstep::test
