// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spoolclock.h"

#include "core/wire/decoder.h"
#include "core/wire/encoder.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr std::string_view kKind = "measured";
constexpr qint64 kWorthKeepingUs = 1000;
constexpr qint64 kMostErrorUs = 100'000; // what was measured at the launch is better than a first one of a bad line

} // namespace

bool SpoolClock::isNewsAfter(const SpoolClock* before) const
{
    if (before == nullptr || before->bootId != bootId)
        return errorUs <= kMostErrorUs;
    const double apartUs = static_cast<double>(wallOf(monotonicUs)) - static_cast<double>(before->wallOf(monotonicUs));
    double sureUs = static_cast<double>(std::max(kWorthKeepingUs, errorUs));
    if (errorUs > before->errorUs) // both may be right, and then the better one stays
        sureUs = std::max(sureUs, static_cast<double>(errorUs) + static_cast<double>(before->errorUs));
    return std::abs(apartUs) > sureUs;
}

std::string lineOf(const SpoolClock& clock)
{
    std::string line;
    wire::Encoder(line)
        .begin(kKind, wire::kNode, clock.monotonicUs)
        .field("from", clock.fromByte)
        .field("wall_us", clock.wallUs)
        .field("error_us", clock.errorUs)
        .field("boot_id", clock.bootId.toStdString())
        .end();
    return line;
}

QList<SpoolClock> spoolClocks(std::string_view text)
{
    QList<SpoolClock> clocks;
    wire::Decoder decoder;
    decoder.feed(text, [&clocks](const wire::RecordView& record) {
        const auto from = record.integer("from"), wall = record.integer("wall_us"), error = record.integer("error_us");
        if (record.kind == kKind && from && wall && error && *from >= 0 && *error >= 0)
            clocks.append({*from, record.timeUs, *wall, *error, QString::fromStdString(record.text("boot_id"))});
    });
    std::stable_sort(clocks.begin(), clocks.end(),
                     [](const SpoolClock& a, const SpoolClock& b) { return a.fromByte < b.fromByte; });
    return clocks;
}

} // namespace lockstep
