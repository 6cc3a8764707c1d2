// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/slurmlists.h"

#include "core/hosttable.h"
#include "core/noderange.h"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

const QRegularExpression& recordStart()
{
    static const QRegularExpression kStart(
        QStringLiteral("^\\s*(JobId|PartitionName|NodeName|StepId|ReservationName)=\\S"),
        QRegularExpression::CaseInsensitiveOption);
    return kStart;
}

struct Field {
    QString key, value; // the key in small letters
    int line = 0;
};

struct Record {
    int line = 0;
    QString kind; // "jobid", "nodename" ...
    QList<Field> fields;

    [[nodiscard]] QString value(const char* key) const
    {
        const auto it = std::find_if(fields.begin(), fields.end(),
                                     [&](const Field& field) { return field.key == QLatin1String(key); });
        return it == fields.end() || it->value == QLatin1String("(null)") ? QString() : it->value;
    }
};

QList<Record> recordsOf(const QStringList& lines)
{
    static const QRegularExpression kField(QStringLiteral("(?:^|\\s)([A-Za-z][A-Za-z0-9_/:]*)=(\\S*)"));
    static const QRegularExpression kComment(QStringLiteral("(^|\\s)#(\\s.*)?$|^\\s*#.*$")); // not "#1 SMP" of OS=
    QList<Record> records;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString line = QString(lines[i]).remove(kComment);
        const int number = static_cast<int>(i) + 1;
        if (const auto start = recordStart().match(line); start.hasMatch())
            records.append({number, start.captured(1).toLower(), {}});
        if (records.isEmpty())
            continue;
        for (auto it = kField.globalMatch(line); it.hasNext();) {
            const auto match = it.next();
            records.last().fields.append({match.captured(1).toLower(), match.captured(2), number});
        }
    }
    return records;
}

struct Found {
    int slotCount = 0;
    QStringList tags;
    QString addresses; // NodeAddr, of as many hosts; empty: the names
    int moreSlots = 0; // besides those of other lines
};

QString addNodes(ImportCollector& collector, const QString& list, const Found& found)
{
    const QStringList parts = splitList(list);
    QStringList names, addresses;
    const auto expand = [](const QStringList& ranges, QStringList& into) -> QString {
        for (const QString& range : ranges) {
            const auto expanded = expandRange(range);
            if (!expanded)
                return expanded.error().text;
            into += *expanded;
        }
        return {};
    };
    if (const QString problem = expand(parts, names); !problem.isEmpty())
        return problem;
    if (const QString problem = expand(splitList(found.addresses), addresses); !problem.isEmpty())
        return problem;
    for (qsizetype i = 0; i < names.size(); ++i) {
        const Result<Address> address = Address::parse(addresses.size() == names.size() ? addresses[i] : names[i]);
        if (!address)
            return address.error().text;
        if (!collector.find(names[i])) {
            const Result<Node> node = nodeNamed(names[i], *address);
            if (!node)
                return node.error().text;
            collector.add(*node);
        }
        Node& known = *collector.find(names[i]);
        known.slots_ = std::min(std::max(known.slots_, found.slotCount) + found.moreSlots, kMostSlots);
        for (const QString& tag : found.tags)
            if (!known.tags.contains(tag))
                known.tags.append(tag);
    }
    return {};
}

// A job's nodes; its "Nodes= ... GRES=gpu:8" lines say how many GPUs it holds on each.
void readJob(const Record& job, ImportCollector& collector)
{
    const QString list = job.value("nodelist");
    if (list.isEmpty())
        return collector.say(
            job.line,
            QStringLiteral("job %1 has no nodes (%2)").arg(job.value("jobid"), job.value("jobstate").toLower()));
    if (const QString problem = addNodes(collector, list, {}); !problem.isEmpty())
        return collector.say(job.line, problem);
    QString nodes;
    for (const Field& field : job.fields) {
        if (field.key == QLatin1String("nodes"))
            nodes = field.value;
        else if (field.key == QLatin1String("gres") && !nodes.isEmpty())
            if (const QString problem = addNodes(collector, nodes, {gpusOfGres(field.value), {}, {}, 0});
                !problem.isEmpty())
                collector.say(field.line, problem);
    }
}

// Of a line of gres.conf: "Name=gpu File=/dev/nvidia[0-3]", "Name=gpu Count=4"; 0: of something else.
int gpusOfGresConf(const Record& line)
{
    if (line.value("name") != QLatin1String("gpu"))
        return 0;
    if (const int count = line.value("count").toInt(); count > 0)
        return std::min(count, kMostSlots);
    int files = 0;
    for (const QString& range : splitList(line.value("file")))
        files += static_cast<int>(expandRange(range).value_or(QStringList()).size());
    return std::min(files, kMostSlots);
}

void readNode(const Record& node, ImportCollector& collector)
{
    const QString name = node.value("nodename");
    if (name == QLatin1String("DEFAULT")) // slurm.conf's defaults for what follows
        return;
    Found found;
    found.slotCount = gpusOfGres(node.value("gres"));
    found.moreSlots = gpusOfGresConf(node);
    found.tags = tagsAmong(node.value("partitions") + u',' + node.value("activefeatures") + u',' +
                           node.value("feature") + u',' + node.value("features"));
    found.addresses = node.value("nodeaddr");
    if (const QString problem = addNodes(collector, name, found); !problem.isEmpty())
        collector.say(node.line, problem);
}

} // namespace

bool isSlurmRecords(const QStringList& lines)
{
    return std::any_of(lines.begin(), lines.end(),
                       [](const QString& line) { return recordStart().match(line).hasMatch(); });
}

Result<ImportedNodes> importSlurmRecords(const QStringList& lines)
{
    ImportCollector collector;
    const QList<Record> records = recordsOf(lines);
    for (const Record& record : records) {
        if (record.kind == QLatin1String("jobid") || record.kind == QLatin1String("stepid")) {
            readJob(record, collector);
        } else if (record.kind == QLatin1String("nodename")) {
            readNode(record, collector);
        } else if (const QString list = record.value("nodes"); list != QLatin1String("ALL") && !list.isEmpty()) {
            Found found;
            found.tags = tagsAmong(record.value("partitionname"));
            if (const QString problem = addNodes(collector, list, found); !problem.isEmpty())
                collector.say(record.line, problem);
        }
    }
    return collector.finish(QStringLiteral("Slurm's list"));
}

} // namespace lockstep
