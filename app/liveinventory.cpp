// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/liveinventory.h"

#include "core/atomicfile.h"

#include <QFileInfo>

namespace lockstep {
namespace {

constexpr qsizetype kNamesShown = 6;

// A file that was removed under the window, which has its text, is written again before it is changed.
Result<EditedInventory> changeFile(const QString& path, const std::optional<QByteArray>& text,
                                   const LiveInventory::Change& wanted)
{
    if (text && !QFileInfo::exists(path))
        if (const auto written = writeAtomically(path, *text); !written)
            return std::unexpected(written.error());
    return editInventory(path, wanted);
}

} // namespace

LiveInventory::LiveInventory(const QString& path) : m_path(path), m_watch(path)
{
    connect(&m_watch, &InventoryWatch::changed, this, [this] { ask({}); });
}

void LiveInventory::start()
{
    Seen seen = look(m_path);
    if (seen.text) {
        take(std::move(seen));
        return;
    }
    m_inventory = Inventory::firstStart();
    emit changed();
}

LiveInventory::Seen LiveInventory::look(const QString& path)
{
    if (!QFileInfo::exists(path))
        return {std::nullopt, {}};
    auto text = readWhole(path);
    if (!text)
        return {QByteArray(), std::unexpected(text.error())};
    auto inventory = Inventory::parse(*text, QFileInfo(path).fileName());
    return {std::move(*text), std::move(inventory)};
}

void LiveInventory::edit(Change change, std::function<void(const Result<void>&)> then)
{
    ask({std::move(change), std::move(then)});
}

void LiveInventory::ask(Request request)
{
    m_waiting.push_back(std::move(request));
    if (m_waiting.size() == 1)
        next();
}

void LiveInventory::next()
{
    struct Answer {
        Result<EditedInventory> edited; // of nothing when it was only read
        Seen seen;
    };
    m_worker.ask(
        [path = m_path, text = m_text, wanted = m_waiting.front().change](std::stop_token) {
            auto edited = wanted ? changeFile(path, text, wanted) : Result<EditedInventory>();
            return Answer{std::move(edited), look(path)};
        },
        [this](Answer answer) {
            const Request& request = m_waiting.front(); // stays there: what its slots ask for comes after it
            if (request.change && answer.edited) {
                tellOverwritten(answer.edited->before); // what somebody else wrote until then is not ours
                noteOwn(*answer.edited);
            }
            take(std::move(answer.seen));
            if (request.then)
                request.then(answer.edited ? Result<void>() : std::unexpected(answer.edited.error()));
            m_waiting.pop_front();
            if (!m_waiting.empty())
                next();
        });
}

void LiveInventory::take(Seen seen)
{
    if (!seen.text) {
        if (m_text)
            emit unreadable({ErrorCode::NotFound,
                             QStringLiteral("%1 was removed. Its %2 nodes stay as long as this window is open; the "
                                            "next change here writes the file again.")
                                 .arg(m_path)
                                 .arg(m_inventory.nodes.size()),
                             {}});
        return;
    }
    if (!seen.inventory) {
        emit unreadable(seen.inventory.error());
        return;
    }
    emit readable();
    if (m_text == seen.text)
        return;
    tellOverwritten(*seen.inventory);
    m_text = std::move(seen.text);
    m_inventory = std::move(*seen.inventory);
    emit changed();
}

void LiveInventory::noteOwn(const EditedInventory& edited)
{
    for (const auto& node : edited.after.nodes)
        if (const Node* before = edited.before.find(node.name); !before || *before != node)
            m_own.insert(node.name, node);
    for (const auto& node : edited.before.nodes)
        if (!edited.after.find(node.name))
            m_own.remove(node.name);
}

// An editor that was opened before a change was made here writes that change away.
void LiveInventory::tellOverwritten(const Inventory& now)
{
    QStringList lost;
    for (auto own = m_own.begin(); own != m_own.end();) {
        const Node* node = now.find(own.key());
        if (!node || *node != *own) {
            lost << own.key();
            own = m_own.erase(own);
        } else {
            ++own;
        }
    }
    if (lost.isEmpty() || !m_text)
        return;
    lost.sort();
    const QString copy = m_path + u'~';
    m_worker.ask([copy, text = *m_text](std::stop_token) { return writeAtomically(copy, text); },
                 [this, copy, lost](const Result<void>& kept) {
                     emit overwritten(
                         {ErrorCode::BadInput,
                          QStringLiteral("It differs at %1. %2")
                              .arg(lost.mid(0, kNamesShown).join(QLatin1String(", ")),
                                   kept ? QStringLiteral("The text as it was before is kept in %1.").arg(copy)
                                        : kept.error().text),
                          {}});
                 });
}

} // namespace lockstep
