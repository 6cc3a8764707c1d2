// SPDX-License-Identifier: GPL-3.0-or-later
// The algebra of selections: names, ranges, patterns, @tags; read left to right as inventory.h says.
#include "core/inventory.h"
#include "core/nearestname.h"
#include "core/sentence.h"

#include <QRegularExpression>
#include <QSet>

namespace lockstep {
namespace {

constexpr int kDeepest = 32; // parentheses

enum class Keep { Common, Rest };

bool isWildcard(const QString& text)
{
    return text.contains(u'*') || text.contains(u'?');
}

class Selector {
public:
    Selector(const Inventory& inventory, const QString& text) : m_inventory(inventory), m_text(text) {}

    Result<QList<Node>> select()
    {
        Result<Indices> found = sum();
        if (found && m_at < m_text.size())
            found = refuse(m_at, QStringLiteral("\"%1\" is not expected there").arg(m_text.mid(m_at)));
        if (!found)
            return std::unexpected(found.error());
        if (found->isEmpty())
            return failure(ErrorCode::BadInput,
                           QStringLiteral("The selection \"%1\" can't be meant: it leaves no node over.").arg(m_text));
        QList<Node> nodes;
        for (const qsizetype index : std::as_const(*found))
            nodes.append(m_inventory.nodes[index]);
        return nodes;
    }

private:
    using Indices = QList<qsizetype>; // in the order chosen, none twice

    // Points at the place, unless the selection is that one word.
    [[nodiscard]] std::unexpected<Error> refuse(qsizetype at, const QString& why, ErrorCode code = ErrorCode::BadInput,
                                                const QString& node = {}) const
    {
        const QString rest =
            at < m_text.size() ? QStringLiteral("at character %1").arg(at + 1) : QStringLiteral("at its end");
        return failure(
            code, QStringLiteral("The selection \"%1\" can't be meant %2: %3").arg(m_text, rest, withFullStop(why)),
            node);
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

    static void addTo(Indices& all, const Indices& more)
    {
        QSet<qsizetype> known(all.begin(), all.end());
        for (const qsizetype index : more)
            if (!known.contains(index))
                all.append(index);
    }

    static void narrow(Indices& all, const Indices& other, Keep what)
    {
        const QSet<qsizetype> known(other.begin(), other.end());
        all.removeIf([&](qsizetype index) { return known.contains(index) != (what == Keep::Common); });
    }

    Result<Indices> sum()
    {
        Indices sofar; // up to the last comma or blank
        Indices part;  // since then
        bool first = true;
        while (true) {
            const qsizetype start = m_at;
            bool comma = false;
            while (take(u','))
                comma = true;
            skipBlanks();
            if (m_at >= m_text.size() || m_text[m_at] == u')') {
                if (first || comma)
                    return refuse(m_at, QStringLiteral("something is missing there"));
                addTo(sofar, part);
                return sofar;
            }
            if (first && comma)
                return refuse(start, QStringLiteral("it begins with a comma"));
            const bool both = !comma && take(u'&');
            const bool without = take(u'!');
            if (both && first)
                return refuse(start, QStringLiteral("a name is missing before the &"));
            if (without && first)
                part = all();
            const Result<Indices> next = factor();
            if (!next)
                return next;
            if (without) {
                narrow(part, *next, Keep::Rest);
                if (!both)
                    narrow(sofar, *next, Keep::Rest);
            } else if (both) {
                narrow(part, *next, Keep::Common);
            } else {
                addTo(sofar, part);
                part = *next;
            }
            first = false;
        }
    }

    Result<Indices> factor()
    {
        skipBlanks();
        const qsizetype start = m_at;
        if (take(u'(')) {
            if (++m_depth > kDeepest)
                return refuse(start, QStringLiteral("it has too many parentheses"));
            Result<Indices> inner = sum();
            if (inner && !take(u')'))
                return refuse(start, QStringLiteral("a parenthesis is not closed"));
            --m_depth;
            return inner;
        }
        if (take(u'@'))
            return tagged(start, word());
        const QString name = word();
        if (name.isEmpty())
            return refuse(start, QStringLiteral("a name is missing"));
        return isWildcard(name) ? matching(start, name) : named(start, name);
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

    // "@h100", "@rack[1-3]", "@rack*".
    [[nodiscard]] Result<Indices> tagged(qsizetype at, const QString& written) const
    {
        const Result<QStringList> tags = expandRange(written);
        if (!tags || written.isEmpty())
            return refuse(at, written.isEmpty() ? QStringLiteral("a tag is missing behind the @") : tags.error().text);
        Indices found;
        for (const QString& tag : *tags) {
            const auto pattern = QRegularExpression(QRegularExpression::wildcardToRegularExpression(tag));
            const bool isPattern = isWildcard(tag);
            if (isPattern && !pattern.isValid())
                return refuse(at, QStringLiteral("\"%1\" is no pattern").arg(tag));
            Indices own;
            for (qsizetype i = 0; i < m_inventory.nodes.size(); ++i) {
                const QStringList& has = m_inventory.nodes[i].tags;
                if (isPattern ? has.indexOf(pattern) >= 0 : has.contains(tag))
                    own.append(i);
            }
            if (own.isEmpty())
                return refuse(at,
                              QStringLiteral("no node has the tag \"%1\"%2").arg(tag, meant(tag, knownTags(), u'@')));
            addTo(found, own);
        }
        return found;
    }

    [[nodiscard]] Result<Indices> matching(qsizetype at, const QString& pattern) const
    {
        const QRegularExpression expression(QRegularExpression::wildcardToRegularExpression(pattern));
        if (!expression.isValid())
            return refuse(at, QStringLiteral("\"%1\" is no pattern").arg(pattern));
        Indices found;
        for (qsizetype i = 0; i < m_inventory.nodes.size(); ++i) {
            if (expression.match(m_inventory.nodes[i].name).hasMatch())
                found.append(i);
        }
        if (found.isEmpty())
            return refuse(at, QStringLiteral("no node's name fits \"%1\"").arg(pattern));
        return found;
    }

    [[nodiscard]] Result<Indices> named(qsizetype at, const QString& range) const
    {
        const Result<QStringList> names = expandRange(range);
        if (!names)
            return refuse(at, names.error().text);
        Indices found;
        for (const QString& name : *names) {
            const Node* node = m_inventory.find(name);
            if (!node) {
                const QString why = QStringLiteral("No node is named %1%2. Known: %3")
                                        .arg(name, meant(name, allNames(), QChar()), knownNames());
                if (name == m_text)
                    return failure(ErrorCode::NotFound, why + u'.', name);
                return refuse(at, why, ErrorCode::NotFound, name);
            }
            found.append(node - m_inventory.nodes.constData());
        }
        Indices once;
        addTo(once, found);
        return once;
    }

    static QString meant(const QString& written, const QStringList& known, QChar sign)
    {
        static const QRegularExpression kDigits(QStringLiteral("[0-9]"));
        const QString nearest = nearestName(written, known);
        // gpu1 is no likelier to be meant by gpu9 than gpu2 is.
        if (nearest.isEmpty() || QString(nearest).remove(kDigits) == QString(written).remove(kDigits))
            return {};
        return QStringLiteral(" (did you mean %1?)").arg(sign.isNull() ? nearest : sign + nearest);
    }

    [[nodiscard]] QStringList allNames() const
    {
        QStringList names;
        for (const Node& node : m_inventory.nodes)
            names.append(node.name);
        return names;
    }

    [[nodiscard]] QStringList knownTags() const
    {
        QStringList tags;
        for (const Node& node : m_inventory.nodes)
            tags += node.tags;
        tags.removeDuplicates();
        return tags;
    }

    [[nodiscard]] QString knownNames() const
    {
        constexpr qsizetype kShown = 12;
        const QStringList names = allNames();
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
