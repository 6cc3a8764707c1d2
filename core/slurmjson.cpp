// SPDX-License-Identifier: GPL-3.0-or-later
// JSON with nodes in it; what is read stands in slurmlists.h.
#include "core/hosttable.h"
#include "core/noderange.h"
#include "core/slurmlists.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace lockstep {
namespace {

QString firstText(const QJsonObject& object, std::initializer_list<const char*> keys)
{
    for (const char* key : keys) {
        const QJsonValue value = object.value(QLatin1String(key));
        const QString text = value.isArray() ? value.toArray().first().toString() : value.toString();
        if (!text.isEmpty())
            return text;
    }
    return {};
}

// Texts, or an array of them: the releases of Slurm differ.
QString words(const QJsonValue& value)
{
    QStringList all{value.toString()};
    for (const auto& one : value.toArray())
        all.append(one.toString());
    return all.join(u',');
}

class JsonReader {
public:
    Result<ImportedNodes> read(const QJsonDocument& document)
    {
        const QJsonObject root = document.object();
        if (document.isArray()) {
            for (const auto& one : document.array())
                readHost(one);
        } else if (root.contains(QLatin1String("jobs"))) {
            readJobs(root.value(QLatin1String("jobs")).toArray());
        } else if (root.contains(QLatin1String("nodes"))) {
            for (const auto& one : root.value(QLatin1String("nodes")).toArray())
                readHost(one);
        } else if (root.contains(QLatin1String("sinfo"))) {
            for (const auto& one : root.value(QLatin1String("sinfo")).toArray())
                readGroup(one.toObject());
        } else {
            return failure(ErrorCode::BadInput,
                           QStringLiteral("This is JSON without nodes: of JSON, what squeue, sinfo and scontrol write "
                                          "with --json is read, and arrays of hosts."));
        }
        return m_found.finish(QStringLiteral("The JSON"));
    }

private:
    void add(const QString& list, const QString& address, int slotCount, const QStringList& tags)
    {
        for (const QString& part : splitList(list)) {
            const Result<QStringList> names = expandRange(part);
            if (!names)
                return m_found.say(1, names.error().text);
            for (const QString& name : *names) {
                const Result<Address> parsed = Address::parse(address.isEmpty() || names->size() > 1 ? name : address);
                if (!parsed)
                    return m_found.say(1, parsed.error().text);
                const QString called = address.isEmpty() ? nodeNameFor(*parsed) : name;
                if (!m_found.find(called)) {
                    const Result<Node> node = nodeNamed(called, *parsed);
                    if (!node)
                        return m_found.say(1, node.error().text);
                    m_found.add(*node);
                }
                Node& known = *m_found.find(called);
                known.slots_ = std::max(known.slots_, std::clamp(slotCount, 0, kMostSlots));
                for (const QString& tag : tags)
                    if (!known.tags.contains(tag))
                        known.tags.append(tag);
            }
        }
    }

    void readHost(const QJsonValue& value)
    {
        if (value.isString())
            return add(value.toString(), {}, 0, {});
        const QJsonObject node = value.toObject();
        const QString name = firstText(node, {"name", "hostname", "host", "node", "ssh", "nodes"});
        const QString address = firstText(node, {"ssh", "address", "ip", "ips", "nodeaddr"});
        if (name.isEmpty() && address.isEmpty())
            return m_found.say(1, QStringLiteral("an entry has no name"));
        const int gpus = gpusOfGres(words(node.value(QLatin1String("gres"))));
        add(name.isEmpty() ? address : name, address, gpus > 0 ? gpus : node.value(QLatin1String("slots")).toInt(),
            tagsAmong(words(node.value(QLatin1String("partitions"))) + u',' +
                      words(node.value(QLatin1String("features")))));
    }

    void readGroup(const QJsonObject& group) // sinfo
    {
        const QJsonObject partition = group.value(QLatin1String("partition")).toObject();
        const QJsonObject nodes = group.value(QLatin1String("nodes")).toObject();
        for (const auto& list : nodes.value(QLatin1String("nodes")).toArray())
            add(list.toString(), {},
                gpusOfGres(words(group.value(QLatin1String("gres")).toObject().value(QLatin1String("total")))),
                tagsAmong(partition.value(QLatin1String("name")).toString()));
    }

    void readJobs(const QJsonArray& jobs)
    {
        int pending = 0;
        for (const auto& value : jobs) {
            const QJsonObject job = value.toObject();
            const QString list = firstText(job, {"nodes"});
            pending += list.isEmpty() ? 1 : 0;
            add(list, {}, 0, tagsAmong(job.value(QLatin1String("partition")).toString()));
        }
        if (pending > 0)
            m_found.say(1, QStringLiteral("%1 of %2 jobs have no nodes yet").arg(pending).arg(jobs.size()));
    }

    ImportCollector m_found;
};

} // namespace

bool isSlurmJson(const QString& text)
{
    const QString bare = text.trimmed();
    if (bare.startsWith(u'{'))
        return true;
    // "[" also begins an Ansible section, an IPv6 address and a range.
    return bare.startsWith(u'[') && !QJsonDocument::fromJson(bare.toUtf8()).isNull();
}

Result<ImportedNodes> importSlurmJson(const QString& text)
{
    QJsonParseError error;
    const QByteArray bytes = text.toUtf8();
    const QJsonDocument document = QJsonDocument::fromJson(bytes, &error);
    if (document.isNull())
        return failure(ErrorCode::BadInput, QStringLiteral("This looks like JSON, but line %1 is none: %2.")
                                                .arg(bytes.left(error.offset).count('\n') + 1)
                                                .arg(error.errorString()));
    return JsonReader().read(document);
}

} // namespace lockstep
