// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/csvexport.h"

#include <QIODevice>

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace lockstep {
namespace {

constexpr qsizetype kFlushBytes = 1 << 20;

QByteArray exact(double value)
{
    if (std::isnan(value))
        return "nan";
    char buffer[64];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr - buffer};
}

QByteArray cell(const QString& text) // RFC 4180
{
    QByteArray bytes = text.toUtf8();
    if (bytes.contains(',') || bytes.contains('"') || bytes.contains('\n') || bytes.contains('\r'))
        bytes = '"' + bytes.replace("\"", "\"\"") + '"';
    return bytes;
}

class CsvWriter {
public:
    CsvWriter(const RunData& run, QIODevice& out) : m_run(run), m_out(out) {}

    Result<void> writeLong()
    {
        m_text = "metric,rank,node,device,attempt,step,seconds,value\n";
        for (const auto& [key, both] : m_run.allSeries()) {
            const QByteArray head =
                cell(key.metric) + ',' + (key.rank >= 0 ? QByteArray::number(key.rank) : QByteArray()) + ',' +
                cell(nodeName(key)) + ',' + cell(key.device) + ',' + QByteArray::number(key.attempt) + ',';
            const Series& bySeconds = both.second;
            const bool stepped = both.first.size() == bySeconds.size();
            for (std::size_t i = 0; i < bySeconds.size(); ++i) {
                m_text += head + (stepped ? exact(both.first.xs()[i]) : QByteArray()) + ',' +
                          exactOrEmpty(bySeconds.xs()[i]) + ',' + exact(bySeconds.ys()[i]) + '\n';
                if (Result<void> written = flush(kFlushBytes); !written)
                    return written;
            }
        }
        return flush(0);
    }

    Result<void> writeWide()
    {
        m_text = "attempt,step,seconds";
        for (const auto& [key, both] : m_run.allSeries()) {
            const auto [at, isNew] =
                m_columns.try_emplace({key.metric, key.rank, key.nodeIndex, key.device}, m_columns.size());
            if (isNew)
                m_text += ',' + cell(columnName(key));
        }
        m_text += '\n';
        for (const auto& [key, both] : m_run.allSeries())
            gather(key, both.first, both.second);
        for (const auto& [row, cells] : m_rows) {
            const auto& [attempt, seconds, step, again] = row;
            m_text += QByteArray::number(attempt) + ',' + exactOrEmpty(step) + ',' + exactOrEmpty(seconds);
            std::size_t column = 0;
            for (const auto& [at, value] : cells) {
                m_text += QByteArray(static_cast<qsizetype>(at - column + 1), ',') + exact(value);
                column = at + 1;
            }
            m_text += QByteArray(static_cast<qsizetype>(m_columns.size() - column), ',') + '\n';
            if (Result<void> written = flush(kFlushBytes); !written)
                return written;
        }
        return flush(0);
    }

private:
    // Steps come first: their seconds differ by rank, so a step's line has none and sorts as the least.
    using Row = std::tuple<int, double, double, int>; // attempt, seconds, step, how often this step was seen before
    static constexpr double kNone = -std::numeric_limits<double>::infinity();

    [[nodiscard]] QString nodeName(const SeriesKey& key) const
    {
        const auto& nodes = m_run.state().nodes;
        return key.nodeIndex >= 0 && key.nodeIndex < nodes.size() ? nodes[key.nodeIndex].name
                                                                  : QString::number(key.nodeIndex);
    }

    [[nodiscard]] QString columnName(const SeriesKey& key) const
    {
        if (key.rank >= 0)
            return QStringLiteral("%1[%2]").arg(key.metric).arg(key.rank);
        return QStringLiteral("%1[%2]").arg(key.metric,
                                            key.device.isEmpty() ? nodeName(key) : nodeName(key) + u' ' + key.device);
    }

    [[nodiscard]] static QByteArray exactOrEmpty(double value)
    {
        return std::isfinite(value) ? exact(value) : QByteArray();
    }

    void gather(const SeriesKey& key, const Series& bySteps, const Series& bySeconds)
    {
        const std::size_t column = m_columns.at({key.metric, key.rank, key.nodeIndex, key.device});
        const bool stepped = bySteps.size() == bySeconds.size();
        std::map<double, int> seen;
        for (std::size_t i = 0; i < bySeconds.size(); ++i) {
            const double x = stepped ? bySteps.xs()[i] : bySeconds.xs()[i];
            const double at = std::isnan(x) ? kNone : x;
            const int again = seen[at]++;
            m_rows[stepped ? Row{key.attempt, kNone, at, again} : Row{key.attempt, at, kNone, again}].emplace(
                column, bySeconds.ys()[i]);
        }
    }

    Result<void> flush(qsizetype above)
    {
        if (m_text.size() <= above)
            return {};
        if (m_out.write(m_text) != m_text.size())
            return failure(ErrorCode::Io, QStringLiteral("The CSV can't be written: %1.").arg(m_out.errorString()));
        m_text.clear();
        return {};
    }

    const RunData& m_run;
    QIODevice& m_out;
    QByteArray m_text;
    std::map<std::tuple<QString, int, int, QString>, std::size_t> m_columns;
    std::map<Row, std::map<std::size_t, double>> m_rows;
};

} // namespace

Result<void> writeCsv(const RunData& run, CsvForm form, QIODevice& out)
{
    CsvWriter writer(run, out);
    switch (form) {
    case CsvForm::Long:
        return writer.writeLong();
    case CsvForm::Wide:
        return writer.writeWide();
    }
    return {};
}

} // namespace lockstep
