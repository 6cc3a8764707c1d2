// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recordcurves.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace lockstep {
namespace {

constexpr std::size_t kNoSlot = std::numeric_limits<std::size_t>::max();

QString qstring(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// Keys of device records that are names, sets or codes, not values over time.
bool isNoCurve(std::string_view key)
{
    return key == "id" || key == "index" || key == "name" || key == "throttle" || key == "processes" ||
           key == "error" || key == "note" || key == "pid";
}

} // namespace

void RecordCurves::beginUpdate(RunUpdate& update)
{
    update.points.reserve(std::exchange(m_lastPoints, 0));
    std::fill(m_inUpdate.begin(), m_inUpdate.end(), kNoSlot);
}

void RecordCurves::newAttempt()
{
    m_streams.clear();
}

void RecordCurves::add(RunUpdate& update, const wire::RecordView& record, const Place& place)
{
    Stream& stream = m_streams[{record.rank, std::string(place.prefix) + std::string(place.device)}];
    for (std::size_t i = 0; i < record.fields->size(); ++i) {
        const wire::Field& field = (*record.fields)[i];
        std::size_t at = i;
        if (at >= stream.keys.size() || stream.keys[at] != field.key)
            at = find(stream, record, place, field.key);
        if (stream.curves[at] == kNoSlot)
            continue;
        if (const auto value = field.number())
            points(update, stream.curves[at]).push_back({place.step, place.seconds, *value});
    }
}

std::size_t RecordCurves::find(Stream& stream, const wire::RecordView& record, const Place& place, std::string_view key)
{
    for (std::size_t i = 0; i < stream.keys.size(); ++i) {
        if (stream.keys[i] == key)
            return i;
    }
    const bool noCurve = place.prefix.empty() ? key == "step" : isNoCurve(key);
    stream.keys.emplace_back(key);
    stream.curves.push_back(noCurve ? kNoSlot : newSlot(record, place, key));
    return stream.keys.size() - 1;
}

std::size_t RecordCurves::newSlot(const wire::RecordView& record, const Place& place, std::string_view key)
{
    SeriesKey series;
    series.metric = qstring(place.prefix) + qstring(key);
    series.rank = record.rank;
    series.nodeIndex = place.nodeIndex;
    series.device = qstring(place.device);
    series.attempt = place.attempt;
    m_curves.push_back(series);
    m_inUpdate.push_back(kNoSlot);
    return m_curves.size() - 1;
}

std::vector<Point>& RecordCurves::points(RunUpdate& update, std::size_t slot)
{
    std::size_t& at = m_inUpdate[slot];
    if (at == kNoSlot) {
        at = update.points.size();
        ++m_lastPoints;
        update.points.emplace_back(m_curves[slot], std::vector<Point>());
    }
    return update.points[at].second;
}

} // namespace lockstep
