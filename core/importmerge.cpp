// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/importmerge.h"

#include "core/inventoryedit.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QHash>

#include <tuple>

namespace lockstep {
namespace {

constexpr qsizetype kNamesShown = 12;

QString shown(const QString& text)
{
    return text.isEmpty() ? QStringLiteral("none") : text;
}
QString shown(int number)
{
    return number == 0 ? QStringLiteral("none") : QString::number(number);
}
QString shown(const QStringList& list)
{
    return shown(list.join(u','));
}
QString shown(const std::pair<bool, Address>& place)
{
    return place.first ? QStringLiteral("local") : place.second.text();
}

class NodeMerge {
public:
    NodeMerge(ImportReport& report, Node& node, const Node& file, const Node* last)
        : m_report(report), m_node(node), m_file(file), m_last(last)
    {
    }

    void merge()
    {
        const auto place = [](const Node& node) { return std::pair(node.local, node.address); };
        auto where = place(m_node);
        field("address", where, place(m_file), m_last ? place(*m_last) : std::pair<bool, Address>{});
        std::tie(m_node.local, m_node.address) = where;
        field("slots", m_node.slots_, m_file.slots_, m_last ? m_last->slots_ : 0);
        field("key", m_node.key, m_file.key, m_last ? m_last->key : QString());
        field("jump", m_node.jump, m_file.jump, m_last ? m_last->jump : QStringList());
        tags();
        if (!m_touched)
            ++m_report.same;
    }

private:
    // Untouched since the last import (or empty, at the first): the file's word. Else a person's.
    template <typename T>
    void field(const char* name, T& mine, const T& file, const T& last)
    {
        if (file == last && m_last)
            return;
        if (mine == file || file == T{})
            return;
        m_touched = true;
        const QString what = QLatin1String(name);
        if (mine == last) {
            m_report.updated.append({m_node.name, QStringLiteral("%1 %2 -> %3").arg(what, shown(mine), shown(file))});
            mine = file;
        } else {
            m_report.kept.append(
                {m_node.name,
                 QStringLiteral("%1 stays %2 as it is here; the file says %3").arg(what, shown(mine), shown(file))});
        }
    }

    void tags() // one by one
    {
        const QStringList last = m_last ? m_last->tags : QStringList();
        for (const QString& tag : m_file.tags)
            if (!last.contains(tag) && !m_node.tags.contains(tag))
                change(QStringLiteral("tag %1 added").arg(tag), [&] { m_node.tags.append(tag); });
        for (const QString& tag : last)
            if (!m_file.tags.contains(tag) && m_node.tags.contains(tag))
                change(QStringLiteral("tag %1 taken away").arg(tag), [&] { m_node.tags.removeAll(tag); });
    }

    template <typename Do>
    void change(const QString& what, Do&& perform)
    {
        m_touched = true;
        perform();
        m_report.updated.append({m_node.name, what});
    }

    ImportReport& m_report;
    Node& m_node;
    const Node& m_file;
    const Node* m_last;
    bool m_touched = false;
};

QString copyOf(const QString& folder, const QString& file)
{
    const QByteArray hash =
        QCryptographicHash::hash(QFileInfo(withHome(file)).absoluteFilePath().toUtf8(), QCryptographicHash::Sha1)
            .toHex()
            .left(16);
    return QDir(folder).filePath(QStringLiteral("imports/%1.toml").arg(QString::fromLatin1(hash)));
}

QString someOf(const QStringList& names)
{
    const QString some = names.mid(0, kNamesShown).join(QLatin1String(", "));
    return names.size() <= kNamesShown ? some
                                       : QStringLiteral("%1 and %2 more").arg(some).arg(names.size() - kNamesShown);
}

} // namespace

QStringList ImportReport::sentences() const
{
    QStringList all;
    if (!added.isEmpty())
        all.append(QStringLiteral("%1 added: %2")
                       .arg(added.size() == 1 ? QStringLiteral("1 node") : QStringLiteral("%1 nodes").arg(added.size()),
                            someOf(added)));
    for (const QList<ImportChange>& changes : {updated, kept})
        for (const ImportChange& change : changes)
            all.append(QStringLiteral("%1: %2").arg(change.node, change.what));
    if (same > 0)
        all.append(same == 1 ? QStringLiteral("1 node as it was") : QStringLiteral("%1 nodes as they were").arg(same));
    return all;
}

ImportReport mergeImport(Inventory& inventory, const QList<Node>& imported, const QList<Node>& last)
{
    ImportReport report;
    QHash<QString, const Node*> before;
    for (const Node& node : last)
        before.insert(node.name, &node);
    QHash<QString, qsizetype> mine;
    for (qsizetype i = 0; i < inventory.nodes.size(); ++i)
        mine.insert(inventory.nodes[i].name, i);
    for (const Node& node : imported) {
        const Node* known = before.take(node.name);
        if (const auto found = mine.constFind(node.name); found != mine.constEnd()) {
            NodeMerge(report, inventory.nodes[*found], node, known).merge();
        } else if (known) {
            report.kept.append({node.name, QStringLiteral("was removed here since the last import and stays so; "
                                                          "`lockstep nodes add` brings it back")});
        } else {
            inventory.nodes.append(node);
            report.added.append(node.name);
        }
    }
    for (const Node& node : last)
        if (before.contains(node.name) && mine.contains(node.name))
            report.kept.append({node.name, QStringLiteral("is no longer in the file; it stays in the inventory")});
    return report;
}

QList<Node> lastImport(const QString& folder, const QString& file)
{
    const QString copy = copyOf(folder, file);
    const auto kept = QFileInfo::exists(copy) ? Inventory::load(copy) : Result<Inventory>(Inventory());
    return kept ? kept->nodes : QList<Node>();
}

Result<void> keepImport(const QString& folder, const QString& file, const QList<Node>& imported)
{
    Inventory copy;
    copy.nodes = imported;
    return copy.save(copyOf(folder, file));
}

Result<ImportReport> importInto(const QString& inventoryFile, const QString& file, const QList<Node>& imported)
{
    const QString folder = QFileInfo(inventoryFile).path();
    ImportReport report;
    const QList<Node> last = QFileInfo::exists(inventoryFile) ? lastImport(folder, file) : QList<Node>();
    const auto edited = editInventory(inventoryFile, [&](Inventory& inventory) -> Result<void> {
        report = mergeImport(inventory, imported, last);
        return {};
    });
    if (!edited)
        return std::unexpected(edited.error());
    if (auto kept = keepImport(folder, file, imported); !kept)
        return std::unexpected(kept.error());
    return report;
}

} // namespace lockstep
