// SPDX-License-Identifier: GPL-3.0-or-later
// The straight-line work of a ResultsFetcher, on its thread: the stream of `lockstep-agent results`, records with the
// files' bytes between them.
#pragma once

#include "core/wire/record.h"
#include "remote/resultsfetcher.h"

#include <QFile>

#include <functional>

namespace lockstep {

class ResultsLoop {
public:
    ResultsLoop(const ResultsJob& job, std::function<void(const ResultEntry&)> fetched, std::stop_token stop);

    [[nodiscard]] Result<void> run(); // Stopped: on request

private:
    [[nodiscard]] Result<void> follow(NodeLink& link); // to `done`, or to the cut
    [[nodiscard]] QByteArray question() const;
    [[nodiscard]] Result<void> take(const QByteArray& bytes);
    [[nodiscard]] Result<void> takeRecord(const QByteArray& line);
    [[nodiscard]] Result<void> begin(const wire::RecordView& record);
    [[nodiscard]] Result<void> finish();

    const ResultsJob& m_job;
    std::function<void(const ResultEntry&)> m_fetched;
    std::stop_token m_stop;
    ResultsShelf m_shelf;
    QByteArray m_line; // of a record that has not come whole
    ResultEntry m_entry;
    QFile m_file;      // open: bytes of m_entry come
    qint64 m_left = 0; // of it
    bool m_done = false;
    bool m_brought = false; // bytes of a file, by this link
    int m_looks = 0;        // of the node for files, by this link
};

} // namespace lockstep
