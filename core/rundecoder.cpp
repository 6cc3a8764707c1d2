// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rundecoder.h"

#include "core/exitreason.h"
#include "core/ncclreport.h"
#include "core/recordcurves.h"
#include "core/spooltime.h"
#include "core/wire/decoder.h"
#include "core/wire/kinds.h"

#include <cmath>
#include <limits>
#include <map>

namespace lockstep {
namespace {

namespace kind = wire::kind;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostStep = 9e15; // what a double counts exactly
constexpr int kMostRank = 1 << 20; // bytes from outside: a rank above this is nobody's

QString qstring(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString textOf(const wire::RecordView& record, std::string_view key)
{
    return qstring(record.text(key));
}

int smallOf(const wire::RecordView& record, std::string_view key, int fallback)
{
    const auto value = record.integer(key);
    return value && *value >= std::numeric_limits<int>::min() && *value <= std::numeric_limits<int>::max()
               ? static_cast<int>(*value)
               : fallback;
}

// What a terminal would leave standing: progress bars rewrite their line with \r.
std::string_view lastRewrite(std::string_view text)
{
    while (!text.empty() && text.back() == '\r')
        text.remove_suffix(1);
    const std::size_t at = text.rfind('\r');
    return at == std::string_view::npos ? text : text.substr(at + 1);
}

} // namespace

struct RunDecoder::State {
    int nodeIndex = 0;
    SpoolTime time;
    qint64 startWallUs = 0;
    int attempt = 1;
    wire::Decoder decoder;
    RecordCurves curves;
    std::string device;             // scratch
    std::map<int, NcclReport> nccl; // by rank, read out of their output

    [[nodiscard]] qint64 wallUs(std::int64_t timeUs) const { return time.wallUs(timeUs); }

    [[nodiscard]] double secondsSinceStart(std::int64_t timeUs) const
    {
        return (static_cast<double>(wallUs(timeUs)) - static_cast<double>(startWallUs)) / 1e6;
    }

    // Every numeric field becomes a point; `prefix` is "" for metrics, "device/", "proc/".
    void addCurves(RunUpdate& update, const wire::RecordView& record, std::string_view prefix, double step)
    {
        const double seconds = startWallUs == 0 ? kNaN : secondsSinceStart(record.timeUs);
        curves.add(update, record, {prefix, device, nodeIndex, attempt, step, seconds});
    }

    void metric(RunUpdate& update, const wire::RecordView& record)
    {
        const double step = record.number("step").value_or(kNaN);
        addCurves(update, record, "", step);
        if (record.rank >= 0 && step >= 0 && step <= kMostStep)
            update.steps[record.rank] = static_cast<qint64>(step);
    }

    void hello(RunUpdate& update, const wire::RecordView& record)
    {
        time.hello(record);
        if (startWallUs == 0)
            startWallUs = wallUs(record.timeUs);
        if (const int next = smallOf(record, "attempt", attempt); next != attempt) {
            attempt = next;
            curves.newAttempt();
            nccl.clear();
            update.steps.clear();
        }
        update.attempt = attempt;
    }

    void phase(RunUpdate& update, const wire::RecordView& record)
    {
        PhaseChange change;
        change.nodeIndex = nodeIndex;
        change.rank = record.rank;
        change.phase = textOf(record, "phase");
        change.reason = textOf(record, "reason");
        change.pid = record.integer("pid").value_or(0);
        change.code = smallOf(record, "code", -1);
        change.signal = smallOf(record, "signal", 0);
        change.gone = smallOf(record, "gone", -1);
        change.left = smallOf(record, "left", -1);
        change.askedGraceS = smallOf(record, "asked_grace", -1);
        change.wallUs = wallUs(record.timeUs);
        change.attempt = attempt;
        LogLine line{change.wallUs, nodeIndex, record.rank, LogLine::Kind::Event, change.phase};
        if (change.phase == QLatin1String("exited"))
            line.text = exitReason(change.code, change.signal, change.reason);
        else if (!change.reason.isEmpty())
            line.text += QStringLiteral(": ") + change.reason;
        if (change.left >= 0)
            line.text += QStringLiteral(", %1 gone, %2 left behind").arg(std::max(0, change.gone)).arg(change.left);
        if (const auto free = record.integer("gpus_free"))
            line.text += QStringLiteral(", GPU memory seen free on %1 of %2 devices")
                             .arg(*free)
                             .arg(*free + record.integer("gpus_held").value_or(0));
        update.phases.push_back(std::move(change));
        update.lines.push_back(std::move(line));
    }

    void info(RunUpdate& update, const wire::RecordView& record)
    {
        QMap<QString, QString> facts;
        for (const wire::Field& field : *record.fields)
            facts.insert(qstring(field.key), qstring(field.text()));
        update.info.emplace_back(record.rank, facts);
    }

    void line(RunUpdate& update, const wire::RecordView& record)
    {
        const std::string text = record.text("text");
        update.lines.push_back({wallUs(record.timeUs), nodeIndex, record.rank,
                                record.kind == kind::kOut ? LogLine::Kind::Out : LogLine::Kind::Err,
                                qstring(lastRewrite(text))});
        if (record.rank < 0 || text.find("CCL ") == std::string::npos)
            return;
        if (NcclReport& report = nccl[record.rank]; report.take(update.lines.back().text))
            update.info.emplace_back(record.rank, report.facts());
    }

    void dropped(RunUpdate& update, const wire::RecordView& record)
    {
        const qint64 count = std::max<qint64>(0, record.integer("count").value_or(0));
        update.dropped += static_cast<std::uint64_t>(count);
        update.lines.push_back(
            {wallUs(record.timeUs), nodeIndex, record.rank, LogLine::Kind::Event,
             QStringLiteral("%1 records of %2 left out here; the rank's own file on the node has all")
                 .arg(count)
                 .arg(textOf(record, "what"))});
    }

    void take(RunUpdate& update, const wire::RecordView& record)
    {
        if (record.rank > kMostRank)
            return;
        if (record.kind == kind::kHello)
            hello(update, record);
        else if (record.kind == kind::kClock)
            time.clock(record);
        device.clear();
        if (record.kind == kind::kMetric) {
            metric(update, record);
        } else if (record.kind == kind::kOut || record.kind == kind::kErr) {
            line(update, record);
        } else if (record.kind == kind::kDevice) {
            device = record.text("id");
            addCurves(update, record, "device/", kNaN);
        } else if (record.kind == kind::kProc) {
            addCurves(update, record, "proc/", kNaN);
        } else if (record.kind == kind::kPhase) {
            phase(update, record);
        } else if (record.kind == kind::kInfo) {
            info(update, record);
        } else if (record.kind == kind::kDropped) {
            dropped(update, record);
        }
        if (time.isTied())
            update.newestWallUs = std::max(update.newestWallUs, wallUs(record.timeUs));
    }
};

RunDecoder::RunDecoder(int nodeIndex, qint64 clockOffsetUs) : m_state(std::make_unique<State>())
{
    m_state->nodeIndex = nodeIndex;
    m_state->time.setOffsetUs(clockOffsetUs);
}

RunDecoder::~RunDecoder() = default;

void RunDecoder::setStartWallUs(qint64 wallUs)
{
    m_state->startWallUs = wallUs;
}

void RunDecoder::setClockOffsetUs(qint64 offsetUs)
{
    m_state->time.setOffsetUs(offsetUs);
}

void RunDecoder::begin(qint64 fromByte, QList<SpoolClock> clocks)
{
    m_state->time.begin(fromByte, std::move(clocks));
}

void RunDecoder::measured(const SpoolClock& clock)
{
    m_state->time.measured(clock);
}

RunUpdate RunDecoder::feed(std::string_view bytes)
{
    State& state = *m_state;
    RunUpdate update;
    update.nodeIndex = state.nodeIndex;
    update.attempt = state.attempt;
    state.curves.beginUpdate(update);
    const auto before = state.decoder.counts();
    while (!bytes.empty())
        state.decoder.feed(state.time.takePiece(bytes),
                           [&](const wire::RecordView& record) { state.take(update, record); });
    const auto& after = state.decoder.counts();
    update.malformed = after.malformed + after.oversize - before.malformed - before.oversize;
    update.spoolBytes = static_cast<qint64>(after.bytes);
    return update;
}

} // namespace lockstep
