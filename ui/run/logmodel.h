// SPDX-License-Identifier: GPL-3.0-or-later
// The run's log as a list: all lines, or those of some ranks, or with some words. New lines are appended, never a reset
// while the filter stands. Thread: GUI.
#pragma once

#include "core/rundata.h"

#include <QAbstractListModel>

#include <optional>

namespace lockstep::ui {

struct LogFilter {
    std::optional<int> rank; // -1: only what the nodes say
    std::optional<int> nodeIndex;
    QString words; // found anywhere in the line, in any case

    bool operator==(const LogFilter&) const = default;
};

class LogModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { LineRole = Qt::UserRole + 1, SeverityRole };

    explicit LogModel(const RunData& run, QObject* parent = nullptr);

    void refresh(); // takes what is new
    void setFilter(const LogFilter& filter);
    [[nodiscard]] const LogFilter& filter() const { return m_filter; }
    [[nodiscard]] const LogLine& line(int row) const;
    [[nodiscard]] int rowAt(qint64 wallUs) const; // the last line that is not later; -1: none

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] bool shows(const LogLine& line) const;
    void insert(std::vector<std::uint32_t> added);
    void letGo(std::uint64_t dropped);

    const RunData& m_run;
    LogFilter m_filter;
    std::vector<std::uint32_t> m_rows; // positions in the run's log, by time
    std::size_t m_read = 0;            // lines looked at
    std::uint64_t m_dropped = 0;       // oldest lines that the run had let go
};

} // namespace lockstep::ui
