// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of records as points of series. The same keys come again and again in the same order, so a series is
// found by its place. Thread: the store thread.
#pragma once

#include "core/rundecoder.h"
#include "core/wire/record.h"

#include <string>

namespace lockstep {

class RecordCurves {
public:
    struct Place {
        std::string_view prefix; // "" of metrics, "device/", "proc/"
        std::string_view device;
        int nodeIndex = 0;
        int attempt = 1;
        double step = 0;    // NaN for samples of a node
        double seconds = 0; // NaN while the run's start is not known
    };

    void beginUpdate(RunUpdate& update); // a new one: nothing points into the last one any more
    void newAttempt();                   // attempts are series of their own
    void add(RunUpdate& update, const wire::RecordView& record, const Place& place); // every field that is a number

private:
    // The keys of one kind of record of one rank or device come in the same order each time: a guess at the place finds
    // the series.
    struct Stream {
        std::vector<std::string> keys;
        std::vector<std::size_t> curves; // kNoSlot: not a curve
    };

    std::size_t find(Stream& stream, const wire::RecordView& record, const Place& place, std::string_view key);
    std::size_t newSlot(const wire::RecordView& record, const Place& place, std::string_view key);
    std::vector<Point>& points(RunUpdate& update, std::size_t slot);

    std::map<std::pair<int, std::string>, Stream, std::less<>> m_streams; // by rank and device or kind
    std::vector<SeriesKey> m_curves;
    std::size_t m_lastPoints = 0;        // series in the last update: the next has about as many
    std::vector<std::size_t> m_inUpdate; // where a slot's points are in the update being made; kNoSlot: nowhere yet
};

} // namespace lockstep
