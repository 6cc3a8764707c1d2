// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inventoryedit.h"

#include "core/atomicfile.h"
#include "core/inventoryfile.h"
#include "core/nearestname.h"
#include "core/nodeform.h"

#include <QFileInfo>
#include <QLockFile>

#include <algorithm>
#include <optional>
#include <tuple>

namespace lockstep {
namespace {

constexpr int kLockWaitMs = 5000; // an edit takes milliseconds
constexpr int kMostTries = 8;     // of one edit; a person saves once within it, if at all

QStringList listOf(const QString& text)
{
    QStringList words = splitList(text);
    words.removeDuplicates();
    return words;
}

Result<void> setAddress(Node& node, const QString& value)
{
    node.local = value == QLatin1String("local");
    const Result<Address> address = node.local ? Result<Address>(Address{}) : Address::parse(value);
    if (!address)
        return std::unexpected(address.error());
    node.address = *address;
    return {};
}

Result<void> setSlots(Node& node, const QString& value)
{
    bool isNumber = value.isEmpty();
    const int number = value.isEmpty() ? 0 : value.toInt(&isNumber);
    if (!isNumber || number < 0 || number > kMostSlots)
        return failure(ErrorCode::BadInput,
                       QStringLiteral("slots wants a number from 0 to %1, not \"%2\".").arg(kMostSlots).arg(value));
    node.slots_ = number;
    return {};
}

Result<void> setDevices(Node& node, const QString& value)
{
    QList<int> devices;
    for (const QString& word : listOf(value)) {
        bool isNumber = false;
        const int index = word.toInt(&isNumber);
        if (!isNumber || index < 0)
            return failure(ErrorCode::BadInput,
                           QStringLiteral("devices wants numbers such as 0,1,2, not \"%1\".").arg(word));
        devices.append(index);
    }
    node.devices = devices;
    return {};
}

Result<void> setJump(Node& node, const QString& value)
{
    const QStringList hops = listOf(value);
    for (const QString& hop : hops)
        if (const Result<Address> parsed = Address::parse(hop); !parsed)
            return std::unexpected(parsed.error());
    node.jump = hops;
    return {};
}

Result<void> setVariable(Node& node, const QByteArray& name, const QByteArray& value)
{
    if (name.isEmpty())
        return failure(ErrorCode::BadInput, QStringLiteral("env. wants a name: env.NCCL_DEBUG=INFO."));
    const auto known =
        std::find_if(node.env.begin(), node.env.end(), [&](const auto& one) { return one.first == name; });
    if (value.isEmpty() && known != node.env.end())
        node.env.erase(known);
    else if (!value.isEmpty() && known != node.env.end())
        known->second = value;
    else if (!value.isEmpty())
        node.env.append({name, value});
    return {};
}

// What three copies of a value come to; false: both sides changed it.
template <typename T>
bool merge(const T& shown, const T& edited, T& current)
{
    if (edited == shown || edited == current)
        return true;
    if (current != shown)
        return false;
    current = edited;
    return true;
}

using FileText = std::optional<QByteArray>; // none: there is no file

Result<FileText> textOf(const QString& path)
{
    Result<QByteArray> bytes = readWhole(path);
    if (bytes)
        return FileText(std::move(*bytes));
    if (bytes.error().code == ErrorCode::NotFound)
        return FileText();
    return std::unexpected(bytes.error());
}

struct Edit { // of one text: what is written comes from the bytes that were parsed
    FileText read;
    QByteArray text;
    EditedInventory inventory;
};

Result<Edit> editOf(const QString& path, const std::function<Result<void>(Inventory&)>& change)
{
    const QString origin = QFileInfo(path).fileName();
    auto read = textOf(path);
    if (!read)
        return std::unexpected(read.error());
    auto before = *read ? Inventory::parse(**read, origin) : Result<Inventory>(Inventory::firstStart());
    if (!before)
        return std::unexpected(before.error());
    Inventory wanted = *before;
    if (auto changed = change(wanted); !changed)
        return std::unexpected(changed.error());
    auto text = *read ? withChanges(**read, wanted, origin) : Result<QByteArray>(newInventory(wanted.nodes));
    if (!text)
        return std::unexpected(text.error());
    auto after = Inventory::parse(*text, origin);
    if (!after)
        return std::unexpected(after.error());
    return Edit{std::move(*read), std::move(*text), {std::move(*before), std::move(*after)}};
}

} // namespace

Result<EditedInventory> editInventory(const QString& path, const std::function<Result<void>(Inventory&)>& change)
{
    if (const Result<void> made = makePrivateFolder(QFileInfo(path).path()); !made)
        return std::unexpected(made.error());
    QLockFile lock(path + QStringLiteral(".lock"));
    if (!lock.tryLock(kLockWaitMs))
        return failure(ErrorCode::Busy,
                       QStringLiteral("%1 is being changed by another program, or its folder cannot be "
                                      "written; nothing was changed. Try again.")
                           .arg(path));
    for (int i = 0; i < kMostTries; ++i) {
        auto edit = editOf(path, change);
        if (!edit)
            return std::unexpected(edit.error());
        if (edit->read == edit->text)
            return std::move(edit->inventory);
        const auto now = textOf(path);
        if (!now)
            return std::unexpected(now.error());
        if (*now != edit->read)
            continue; // an editor, which knows of no lock, has saved: the change is made to what it wrote
        if (auto written = writeAtomically(path, edit->text); !written)
            return std::unexpected(written.error());
        return std::move(edit->inventory);
    }
    return failure(
        ErrorCode::Busy,
        QStringLiteral("%1 is saved by another program again and again; nothing was changed. Try again.").arg(path));
}

Result<void> setNodeValue(Node& node, const QString& assignment)
{
    static const QStringList kKeys{QStringLiteral("address"), QStringLiteral("tags"),    QStringLiteral("key"),
                                   QStringLiteral("slots"),   QStringLiteral("devices"), QStringLiteral("interface"),
                                   QStringLiteral("jump"),    QStringLiteral("env.NAME")};
    const qsizetype equals = assignment.indexOf(u'=');
    QString key = assignment.left(equals).trimmed();
    const QString value = assignment.mid(equals + 1).trimmed();
    if (equals > 0 && (key == QLatin1String("tags+") || key == QLatin1String("tags-"))) {
        for (const QString& tag : listOf(value)) {
            node.tags.removeAll(tag);
            if (key.endsWith(u'+'))
                node.tags.append(tag);
        }
        return {};
    }
    if (equals > 0 && key.startsWith(QLatin1String("env.")))
        return setVariable(node, key.mid(4).toUtf8(), assignment.mid(equals + 1).toUtf8());
    if (equals <= 0 || !kKeys.contains(key)) {
        const QString meant = nearestName(key, kKeys);
        return failure(ErrorCode::BadInput,
                       QStringLiteral("\"%1\" can't be set; write KEY=VALUE with one of: %2.%3")
                           .arg(assignment, kKeys.join(QLatin1String(", ")),
                                meant.isEmpty() ? QString() : QStringLiteral(" Did you mean %1?").arg(meant)));
    }
    if (key == QLatin1String("address"))
        return setAddress(node, value);
    if (key == QLatin1String("slots"))
        return setSlots(node, value);
    if (key == QLatin1String("devices"))
        return setDevices(node, value);
    if (key == QLatin1String("jump"))
        return setJump(node, value);
    if (key == QLatin1String("tags"))
        node.tags = listOf(value);
    else if (key == QLatin1String("key"))
        node.key = value;
    else
        node.interface = value;
    return {};
}

Result<void> replaceNode(Inventory& inventory, const Node& shown, const Node& edited)
{
    const auto current = std::find_if(inventory.nodes.begin(), inventory.nodes.end(),
                                      [&](const Node& node) { return node.name == shown.name; });
    if (current == inventory.nodes.end())
        return failure(ErrorCode::NotFound,
                       QStringLiteral("%1 was taken out of the inventory meanwhile.").arg(shown.name), shown.name);
    Node next = ownPart(*current, inventory.groups);
    QString both;
    const auto take = [&](const char* what, const auto& before, const auto& wanted, auto& now) {
        if (!merge(before, wanted, now) && both.isEmpty())
            both = QLatin1String(what);
    };
    const std::pair shownPlace(shown.local, shown.address), editedPlace(edited.local, edited.address);
    std::pair place(next.local, next.address);
    take("address", shownPlace, editedPlace, place);
    std::tie(next.local, next.address) = place;
    take("tags", shown.tags, edited.tags, next.tags);
    take("key", shown.key, edited.key, next.key);
    take("slots", shown.slots_, edited.slots_, next.slots_);
    take("devices", shown.devices, edited.devices, next.devices);
    take("interface", shown.interface, edited.interface, next.interface);
    take("jump", shown.jump, edited.jump, next.jump);
    take("env", shown.env, edited.env, next.env);
    if (!both.isEmpty())
        return failure(ErrorCode::BadInput,
                       QStringLiteral("The %1 of %2 was changed in the inventory's file meanwhile, to another value; "
                                      "nothing was overwritten. Look again.")
                           .arg(both, shown.name),
                       shown.name);
    inherit(next, inventory.groups);
    *current = next;
    return {};
}

} // namespace lockstep
