// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hosttable.h"

#include "core/nodeaddress.h"
#include "core/noderange.h"

#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace lockstep {
namespace {

constexpr qsizetype kHeaderWithin = 3; // lines that are not blank
constexpr qsizetype kRowsLookedAt = 50;

bool isOneOf(const QString& title, std::initializer_list<const char*> titles)
{
    return std::any_of(titles.begin(), titles.end(), [&](const char* one) { return title == QLatin1String(one); });
}

bool namesHosts(const QString& title)
{
    return isOneOf(title, {"nodelist", "nodelist(reason)", "hostnames", "hostname", "host", "hosts", "node", "nodename",
                           "node_name", "host_name", "machine", "server"});
}

bool namesAddresses(const QString& title)
{
    return isOneOf(title, {"ip", "ips", "address", "addr", "ipaddress", "ip_address", "ip address", "nodeaddr",
                           "host_ip", "node_ip", "private_ip", "ansible_host", "ssh_host"});
}

bool namesTags(const QString& title)
{
    return isOneOf(title, {"partition", "features", "avail_features", "active_features", "tags", "groups", "group"});
}

bool isKnown(const QString& title)
{
    return namesHosts(title) || namesAddresses(title) || namesTags(title) ||
           isOneOf(title, {"index", "id",    "name",  "slots",  "gpus", "cpus", "memory",
                           "state", "nodes", "avail", "jobid",  "st",   "time", "timelimit",
                           "user",  "port",  "gres",  "reason", "rank", "role", "timestamp"});
}

QStringList cut(const QString& line, QChar separator)
{
    if (separator.isNull())
        return splitBlanks(line);
    QStringList cells; // empty ones count
    QString cell;
    int depth = 0;
    bool quoted = false;
    for (const QChar c : line) {
        if (c == u'"')
            quoted = !quoted;
        else if (c == u'[' || c == u'(')
            ++depth;
        else if (c == u']' || c == u')')
            depth = std::max(0, depth - 1);
        if (c == separator && !quoted && (depth == 0 || separator != u',')) {
            cells.append(cell.trimmed());
            cell.clear();
        } else if (c != u'"') {
            cell += c;
        }
    }
    cells.append(cell.trimmed());
    return cells;
}

bool isNumber(const QString& text)
{
    bool isOne = false;
    (void)text.toDouble(&isOne);
    return isOne;
}

QString withoutComment(const QString& line)
{
    return line.trimmed().startsWith(u'#') ? QString() : line;
}

} // namespace

int gpusOfGres(const QString& gres)
{
    static const QRegularExpression kGpu(
        QStringLiteral("(?:^|[,/])gpu(?:[:/][A-Za-z0-9_.-]+)??[:=]([0-9]{1,4})(?![0-9A-Za-z_])"));
    int count = 0;
    for (auto it = kGpu.globalMatch(gres); it.hasNext();)
        count += it.next().captured(1).toInt();
    return std::min(count, kMostSlots);
}

QStringList tagsAmong(const QString& words)
{
    static const QRegularExpression kCut(QStringLiteral("[,&|*\\s]+"));
    static const QRegularExpression kTag(QStringLiteral("^[A-Za-z0-9_][A-Za-z0-9_.:+-]{0,62}\\z"));
    QStringList tags;
    const QStringList parts = words.split(kCut, Qt::SkipEmptyParts);
    for (const QString& part : parts)
        if (kTag.match(part).hasMatch() && part != QLatin1String("N/A") && !tags.contains(part))
            tags.append(part);
    return tags;
}

std::optional<HostTable> HostTable::headerOf(const QStringList& lines)
{
    qsizetype seen = 0;
    for (qsizetype i = 0; i < lines.size() && seen < kHeaderWithin; ++i) {
        if (withoutComment(lines[i]).trimmed().isEmpty())
            continue;
        ++seen;
        for (const QChar separator : {QChar(u'\t'), QChar(u';'), QChar(u'|'), QChar(u','), QChar()}) {
            HostTable table;
            table.m_line = i;
            table.m_separator = separator;
            const QStringList titles = table.cells(lines[i].toLower());
            table.m_count = titles.size();
            table.m_ofJobs = titles.contains(QStringLiteral("jobid"));
            qsizetype known = 0;
            for (qsizetype column = 0; column < titles.size(); ++column) {
                const QString& title = titles[column];
                known += isKnown(title) ? 1 : 0;
                if (namesHosts(title) && table.m_hosts < 0)
                    table.m_hosts = column;
                else if (namesAddresses(title) && table.m_address < 0)
                    table.m_address = column;
                else if (isOneOf(title, {"name", "index", "id"}) && table.m_label < 0 && !table.m_ofJobs)
                    table.m_label = column;
                else if (isOneOf(title, {"slots", "gpus", "num_gpus", "gpu_count"}))
                    table.m_slots = column;
                else if (isOneOf(title, {"gres", "tres_per_node"}))
                    table.m_gres = column;
                else if (isOneOf(title, {"user", "username", "ssh_user"}) && !table.m_ofJobs)
                    table.m_user = column;
                else if (isOneOf(title, {"port", "ssh_port"}))
                    table.m_port = column;
                else if (namesTags(title))
                    table.m_tags.append(column);
            }
            const bool hosts = table.m_hosts >= 0 || table.m_address >= 0;
            if (titles.size() > 1 && known > 1 && (hosts || table.m_ofJobs))
                return table;
            // `sinfo -o %N`, `squeue -o %N`: no other title would tell it from a host of that name.
            if (isOneOf(lines[i].trimmed(), {"NODELIST", "NODELIST(REASON)", "HOSTNAMES"})) {
                table.m_ofJobs = true; // a node stands there once a partition or job
                return table;
            }
        }
    }
    return std::nullopt;
}

bool HostTable::isWithoutHeader(const QStringList& lines)
{
    for (const char* separator : {"|#", "\\t", "\t", "|", ";", ","}) {
        QSet<qsizetype> counts;
        qsizetype rows = 0, addresses = 0, others = 0, ofNumbers = 0;
        for (const QString& line : lines) {
            const QString bare = line.section(u'#', 0, *separator == '|' ? -1 : 0).trimmed();
            if (bare.isEmpty())
                continue;
            if (++rows > kRowsLookedAt)
                break;
            const bool isComma = *separator == ',';
            const QStringList row = isComma ? splitCommas(bare) : bare.split(QLatin1String(separator));
            if (row.isEmpty()) // a comma alone
                continue;
            const bool isHostfile = *separator == '\t' && bare.contains(u'='); // slots=8 behind tabs
            counts.insert(isHostfile ? 0 : row.size());
            addresses += isNumericAddress(row.last().trimmed()) ? 1 : 0;
            others += isNumericAddress(row.first().trimmed()) ? 0 : 1;
            ofNumbers += row.size() > 1 && std::all_of(row.begin(), row.end(), isNumber) ? 1 : 0;
        }
        const qsizetype fields = counts.size() == 1 ? *counts.begin() : 0;
        // Commas also stand in Slurm's lists: there, only names with their addresses behind them are a table, and
        // numbers alone.
        const bool isOfAddresses = rows > 1 && addresses == rows && others == rows;
        if (*separator == ',' ? (fields > 1 && isOfAddresses) || ofNumbers > 0 : fields > 2)
            return true;
    }
    return false;
}

QStringList HostTable::cells(const QString& line) const
{
    return cut(line.trimmed(), m_separator);
}

QString HostTable::cell(const QStringList& row, qsizetype column) const
{
    if (column < 0)
        return {};
    // A name with blanks in the middle shifts what follows; the last column is the last all the same.
    const bool isLast = column == m_count - 1;
    return isLast ? row.value(row.size() - 1) : row.value(column);
}

QString HostTable::readRow(const QStringList& row, ImportCollector& found) const
{
    if (m_separator.isNull() ? row.size() < m_count : row.size() != m_count)
        return QStringLiteral("has %1 fields where the header has %2").arg(row.size()).arg(m_count);
    const QString hosts = cell(row, m_hosts >= 0 ? m_hosts : m_label >= 0 ? m_label : m_address);
    const QString address = cell(row, m_address);
    const QString user = cell(row, m_user), port = cell(row, m_port), slotText = cell(row, m_slots);
    QStringList tags;
    for (const qsizetype column : m_tags)
        tags += tagsAmong(cell(row, column));
    const QStringList parts = splitList(hosts);
    if (parts.isEmpty())
        return QStringLiteral("names no host");
    static const QRegularExpression kSlots(QStringLiteral("^[1-9][0-9]{0,8}\\z"));
    const bool saysSlots = !slotText.isEmpty() && !isOneOf(slotText.toLower(), {"-", "n/a", "(null)"});
    if (saysSlots && (!kSlots.match(slotText).hasMatch() || slotText.toInt() > kMostSlots))
        return QStringLiteral("\"%1\" is no number of slots from 1 to %2").arg(slotText).arg(kMostSlots);
    for (const QString& part : parts) {
        const Result<QStringList> names = expandRange(part);
        if (!names)
            return names.error().text;
        for (const QString& name : *names) {
            QString where = address.isEmpty() || names->size() > 1 ? name : address;
            if (where.count(u':') > 1 && !port.isEmpty())
                where = u'[' + where + u']';
            const Result<Address> parsed = Address::parse((user.isEmpty() ? QString() : user + u'@') + where +
                                                          (port.isEmpty() ? QString() : u':' + port));
            if (!parsed)
                return parsed.error().text;
            const Result<Node> node =
                nodeNamed(address.isEmpty() || m_address == m_hosts ? nodeNameFor(*parsed) : name, *parsed);
            if (!node)
                return node.error().text;
            if (!found.find(node->name))
                found.add(*node);
            else if (!m_ofJobs && m_tags.isEmpty()) // sinfo has a row a partition, squeue a row a job
                return QStringLiteral("%1 is named twice").arg(node->name);
            Node& known = *found.find(node->name);
            const int gpus = saysSlots ? slotText.toInt() : gpusOfGres(cell(row, m_gres));
            known.slots_ = std::clamp(std::max(known.slots_, gpus), 0, kMostSlots);
            for (const QString& tag : std::as_const(tags))
                if (!known.tags.contains(tag))
                    known.tags.append(tag);
        }
    }
    return {};
}

Result<ImportedNodes> HostTable::read(const QStringList& lines) const
{
    if (m_hosts < 0 && m_address < 0)
        return failure(ErrorCode::BadInput,
                       QStringLiteral("This is a list of Slurm's jobs without a column of nodes; squeue -o \"%i %N\" "
                                      "writes one, sinfo -N lists the nodes themselves."));
    ImportCollector found;
    qsizetype pending = 0, firstPending = 0, good = 0, wrong = 0;
    for (qsizetype i = m_line + 1; i < lines.size(); ++i) {
        const QString line = m_separator.isNull() ? withoutComment(lines[i]) : lines[i];
        if (line.trimmed().isEmpty())
            continue;
        const QStringList row = cells(line);
        const QString hosts = cell(row, m_hosts);
        if (m_ofJobs && (hosts.isEmpty() || hosts.endsWith(u')'))) { // "(Priority)", "(launch failed requeued held)"
            firstPending = pending++ == 0 ? i + 1 : firstPending;
            continue;
        }
        if (hosts == QLatin1String("n/a") || hosts == QLatin1String("(null)")) // an empty partition
            continue;
        const QString problem = readRow(row, found);
        ++(problem.isEmpty() ? good : wrong);
        if (!problem.isEmpty())
            found.say(static_cast<int>(i) + 1, problem);
    }
    if (const Result<void> isList = found.checkShare(QStringLiteral("The table"), good, wrong); !isList)
        return std::unexpected(isList.error());
    if (pending > 0)
        found.say(static_cast<int>(firstPending),
                  pending == 1 ? QStringLiteral("this job has no nodes yet")
                               : QStringLiteral("%1 jobs from here on have no nodes yet").arg(pending));
    return found.finish(QStringLiteral("The table"));
}

} // namespace lockstep
