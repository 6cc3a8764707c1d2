// SPDX-License-Identifier: GPL-3.0-or-later
// The INI form; what is read stands in ansibleinventory.h.
#include "core/ansibleinventory.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

const QRegularExpression& sectionPattern()
{
    static const QRegularExpression kSection(QStringLiteral("^\\[([^\\[\\]:\\s]+)(?::([a-z]+))?\\]\\z"));
    return kSection;
}

// "[01:50]" alone is no section, nor is an IPv6 address in brackets.
bool isSection(const QString& line)
{
    static const QRegularExpression kRange(QStringLiteral("^\\[[0-9a-fA-F]*[-:,][0-9a-fA-F:,-]*\\]\\z"));
    return sectionPattern().match(line).hasMatch() && !kRange.match(line).hasMatch();
}

QString withoutComment(const QString& line)
{
    static const QRegularExpression kComment(QStringLiteral("(^\\s*[#;]|\\s#|\\s;\\s).*$"));
    return QString(line).remove(kComment).trimmed();
}

// As a shell would cut it: blanks inside quotes belong to the word, the quotes do not.
QStringList quotedWords(const QString& line)
{
    QStringList words;
    QString word;
    QChar quote;
    bool any = false;
    for (const QChar c : line) {
        if (!quote.isNull() && c == quote) {
            quote = QChar();
        } else if (quote.isNull() && (c == u'"' || c == u'\'')) {
            quote = c;
            any = true;
        } else if (quote.isNull() && c.isSpace()) {
            if (any || !word.isEmpty())
                words.append(word);
            word.clear();
            any = false;
        } else {
            word += c;
        }
    }
    if (any || !word.isEmpty())
        words.append(word);
    return words;
}

QString unquoted(const QString& value)
{
    const bool quoted =
        value.size() > 1 && value.front() == value.back() && (value.front() == u'"' || value.front() == u'\'');
    return quoted ? value.mid(1, value.size() - 2) : value;
}

class IniReader {
public:
    Result<ImportedNodes> read(const QStringList& lines)
    {
        for (qsizetype i = 0; i < lines.size(); ++i) {
            m_line = static_cast<int>(i) + 1;
            if (const QString line = withoutComment(lines[i]); !line.isEmpty())
                readLine(line);
        }
        return m_inventory.nodes();
    }

private:
    void readLine(const QString& line)
    {
        if (isSection(line))
            beginSection(line);
        else if (m_kind == QLatin1String("children"))
            m_inventory.addChild(m_group, line);
        else if (m_kind == QLatin1String("vars"))
            readVariable(line);
        else if (m_kind.isEmpty())
            readHost(line);
    }

    void beginSection(const QString& line)
    {
        static const QStringList kKinds{QStringLiteral("children"), QStringLiteral("vars"), QStringLiteral("hosts")};
        const auto section = sectionPattern().match(line);
        m_group = section.captured(1);
        m_kind = section.captured(2);
        if (!m_kind.isEmpty() && !kKinds.contains(m_kind))
            m_inventory.say(m_line, QStringLiteral("a section may be [%1], [%1:children] or [%1:vars]; what stands in "
                                                   "[%1:%2] was left out")
                                        .arg(m_group, m_kind));
        if (m_kind == QLatin1String("hosts"))
            m_kind.clear();
    }

    void readVariable(const QString& line)
    {
        if (!line.contains(u'='))
            return m_inventory.say(m_line, QStringLiteral("a variable is written name=value"));
        m_inventory.setVariable(m_group, line.section(u'=', 0, 0).trimmed(), unquoted(line.section(u'=', 1).trimmed()));
    }

    void readHost(const QString& line)
    {
        static const QRegularExpression kName(QStringLiteral("^[A-Za-z_][A-Za-z0-9_-]*="));
        QStringList words = quotedWords(line);
        if (words.isEmpty())
            return;
        const QString host = words.takeFirst();
        AnsibleVariables variables;
        for (const QString& word : std::as_const(words)) {
            if (!kName.match(word).hasMatch())
                return m_inventory.say(
                    m_line, QStringLiteral("\"%1\" is not understood; behind a host stand name=value").arg(word));
            variables.insert(word.section(u'=', 0, 0), word.section(u'=', 1));
        }
        m_inventory.addHosts(host, variables, m_group, m_line);
    }

    AnsibleInventory m_inventory;
    int m_line = 0;
    QString m_group, m_kind;
};

} // namespace

bool isAnsibleIni(const QStringList& lines)
{
    return std::any_of(lines.begin(), lines.end(), [](const QString& line) {
        static const QRegularExpression kVariable(QStringLiteral("\\sansible_[a-z_]+="));
        const QString bare = withoutComment(line);
        return isSection(bare) || kVariable.match(bare).hasMatch();
    });
}

Result<ImportedNodes> importAnsibleIni(const QStringList& lines)
{
    return IniReader().read(lines);
}

} // namespace lockstep
