// SPDX-License-Identifier: GPL-3.0-or-later
// The INI form; what is read stands in ansibleinventory.h.
#include "core/ansibleinventory.h"
#include "core/ansiblessharguments.h"

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

QString unquoted(const QString& value)
{
    const bool quoted =
        value.size() > 1 && value.front() == value.back() && (value.front() == u'"' || value.front() == u'\'');
    return quoted ? value.mid(1, value.size() - 2) : value;
}

class IniReader {
public:
    Result<ImportedNodes> read(const QStringList& lines, const QString& folder)
    {
        for (qsizetype i = 0; i < lines.size(); ++i) {
            m_line = static_cast<int>(i) + 1;
            if (const QString line = withoutComment(lines[i]); !line.isEmpty())
                readLine(line);
        }
        return m_inventory.nodes(folder);
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
        m_inventory.setVariable(m_group, line.section(u'=', 0, 0).trimmed(),
                                valueOf(unquoted(line.section(u'=', 1).trimmed())));
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
            variables.insert(word.section(u'=', 0, 0), valueOf(word.section(u'=', 1)));
        }
        m_inventory.addHosts(host, variables, m_group, m_line);
    }

    [[nodiscard]] AnsibleValue valueOf(const QString& text) const { return {text, AnsibleValue::Kind::Text, m_line}; }

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

Result<ImportedNodes> importAnsibleIni(const QStringList& lines, const QString& folder)
{
    return IniReader().read(lines, folder);
}

} // namespace lockstep
