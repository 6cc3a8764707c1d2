// SPDX-License-Identifier: GPL-3.0-or-later
// The algebra of selections: names, ranges, patterns, @tags; "," or a blank adds, "!" takes away, "&" keeps what both
// have.
#include "core/inventory.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kDeepest = 32; // parentheses

class Selector {
public:
    Selector(const Inventory& inventory, const QString& text) : m_inventory(inventory), m_text(text) {}

    Result<QList<Node>> select()
    {
        Result<Indices> found = sum();
        if (found && m_at < m_text.size())
            found = refuse(QStringLiteral("\"%1\" is not expected there").arg(m_text.mid(m_at)));
        if (!found)
            return std::unexpected(found.error());
        if (found->isEmpty())
            return refuse(QStringLiteral("it leaves no node over"));
        QList<Node> nodes;
        for (const qsizetype index : std::as_const(*found))
            nodes.append(m_inventory.nodes[index]);
        return nodes;
    }

private:
    using Indices = QList<qsizetype>; // in the order chosen, none twice

    [[nodiscard]] std::unexpected<Error> refuse(const QString& why) const
    {
        return failure(ErrorCode::BadInput,
                       QStringLiteral("The selection \"%1\" can't be meant: %2.").arg(m_text, why));
    }

    void skipBlanks()
    {
        while (m_at < m_text.size() && m_text[m_at].isSpace())
            ++m_at;
    }

    bool take(QChar c)
    {
        skipBlanks();
        if (m_at >= m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }

    [[nodiscard]] Indices all() const
    {
        Indices indices;
        for (qsizetype i = 0; i < m_inventory.nodes.size(); ++i)
            indices.append(i);
        return indices;
    }

    Result<Indices> sum()
    {
        Indices sofar;
        bool first = true;
        while (true) {
            bool comma = false;
            while (take(u','))
                comma = true;
            skipBlanks();
            if (m_at >= m_text.size() || m_text[m_at] == u')') {
                if (first || comma)
                    return refuse(QStringLiteral("something is missing at its end"));
                return sofar;
            }
            if (first && comma)
                return refuse(QStringLiteral("it begins with a comma"));
            const bool without = take(u'!');
            if (without && first)
                sofar = all();
            const Result<Indices> part = product();
            if (!part)
                return part;
            for (const qsizetype index : *part) {
                if (without)
                    sofar.removeAll(index);
                else if (!sofar.contains(index))
                    sofar.append(index);
            }
            first = false;
        }
    }

    Result<Indices> product()
    {
        Result<Indices> sofar = factor();
        while (sofar && take(u'&')) {
            const bool without = take(u'!');
            const Result<Indices> other = factor();
            if (!other)
                return other;
            sofar->removeIf([&](qsizetype index) { return other->contains(index) == without; });
        }
        return sofar;
    }

    Result<Indices> factor()
    {
        if (take(u'(')) {
            if (++m_depth > kDeepest)
                return refuse(QStringLiteral("it has too many parentheses"));
            Result<Indices> inner = sum();
            if (inner && !take(u')'))
                return refuse(QStringLiteral("a parenthesis is not closed"));
            --m_depth;
            return inner;
        }
        if (take(u'@'))
            return tagged(word());
        const QString name = word();
        if (name.isEmpty())
            return refuse(QStringLiteral("a name is missing"));
        return name.contains(u'*') || name.contains(u'?') ? matching(name) : named(name);
    }

    QString word() // up to a sign of the algebra; commas inside brackets belong to a range
    {
        skipBlanks();
        const qsizetype start = m_at;
        int depth = 0;
        while (m_at < m_text.size()) {
            const QChar c = m_text[m_at];
            if (c == u'[')
                ++depth;
            if (c == u']')
                --depth;
            if (depth <= 0 && (c.isSpace() || QStringLiteral(",&!()@").contains(c)))
                break;
            ++m_at;
        }
        return m_text.mid(start, m_at - start);
    }

    [[nodiscard]] Result<Indices> tagged(const QString& tag) const
    {
        Indices found;
        for (qsizetype i = 0; i < m_inventory.nodes.size(); ++i) {
            if (m_inventory.nodes[i].tags.contains(tag))
                found.append(i);
        }
        if (found.isEmpty())
            return refuse(QStringLiteral("no node has the tag \"%1\"").arg(tag));
        return found;
    }

    [[nodiscard]] Result<Indices> matching(const QString& pattern) const
    {
        const QRegularExpression expression(QRegularExpression::wildcardToRegularExpression(pattern));
        Indices found;
        for (qsizetype i = 0; i < m_inventory.nodes.size(); ++i) {
            if (expression.match(m_inventory.nodes[i].name).hasMatch())
                found.append(i);
        }
        if (found.isEmpty())
            return refuse(QStringLiteral("no node's name fits \"%1\"").arg(pattern));
        return found;
    }

    [[nodiscard]] Result<Indices> named(const QString& range) const
    {
        const Result<QStringList> names = expandRange(range);
        if (!names)
            return std::unexpected(names.error());
        Indices found;
        for (const QString& name : *names) {
            const Node* node = m_inventory.find(name);
            if (!node)
                return failure(ErrorCode::NotFound,
                               QStringLiteral("No node is named %1. Known: %2.").arg(name, knownNames()), name);
            if (const qsizetype index = node - m_inventory.nodes.constData(); !found.contains(index))
                found.append(index);
        }
        return found;
    }

    [[nodiscard]] QString knownNames() const
    {
        constexpr qsizetype kShown = 12;
        QStringList names;
        for (const Node& node : m_inventory.nodes)
            names.append(node.name);
        if (names.isEmpty())
            return QStringLiteral("none yet");
        return names.size() <= kShown ? names.join(QLatin1String(", "))
                                      : QStringLiteral("%1 and %2 more")
                                            .arg(names.mid(0, kShown).join(QLatin1String(", ")))
                                            .arg(names.size() - kShown);
    }

    const Inventory& m_inventory;
    const QString m_text;
    qsizetype m_at = 0;
    int m_depth = 0;
};

} // namespace

Result<QList<Node>> Inventory::select(const QString& selection) const
{
    const QString text = selection.trimmed();
    return Selector(*this, text.isEmpty() ? QStringLiteral("*") : text).select();
}

} // namespace lockstep
