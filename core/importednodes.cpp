// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/importednodes.h"

#include "core/ansibleinventory.h"
#include "core/hostfile.h"
#include "core/hostnames.h"
#include "core/hosttable.h"
#include "core/slurmlists.h"
#include "core/sshconfigaliases.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringDecoder>

#include <algorithm>
#include <tuple>

namespace lockstep {
namespace {

constexpr qint64 kMaxFileBytes = 16 * 1024 * 1024; // the node list of the largest clusters has a few
constexpr qsizetype kMaxProblems = 1000;           // a wrong file need not be told line by line for ever

std::unexpected<Error> refuse(const QString& text)
{
    return failure(ErrorCode::BadInput, text);
}

Result<QString> decoded(const QByteArray& bytes)
{
    const auto encoding = QStringDecoder::encodingForData(bytes); // by its mark; else UTF-8
    QString text = QStringDecoder(encoding.value_or(QStringDecoder::Utf8)).decode(bytes);
    if (text.contains(QChar(0)))
        return refuse(QStringLiteral("This is no text: it holds NUL bytes. A list of hosts is one host a line."));
    return text;
}

QStringList linesOf(QString text)
{
    return text.replace(QLatin1String("\r\n"), QLatin1String("\n")).replace(u'\r', u'\n').split(u'\n');
}

// Host, Match and Include alone, or options below them of which at least one is among those that a file for several
// hosts has. "Host IP GPUs" heads a table as well, and "Host Max : N/A" is a line of nvidia-smi -q.
bool isSshConfig(const QString& text)
{
    static const QRegularExpression kBlock(QStringLiteral("^\\s*(Host|Match|Include)(\\s+|\\s*=\\s*)[^\\s=]"),
                                           QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression kOption(
        QStringLiteral("^\\s*(HostName|User|Port|IdentityFile|IdentitiesOnly|IdentityAgent|Proxy(Jump|Command)|"
                       "(Forward|AddKeysTo)Agent|UserKnownHostsFile|StrictHostKeyChecking|HostKeyAlias|"
                       "Control(Master|Path|Persist)|ServerAlive(Interval|CountMax)|ConnectTimeout|AddressFamily|"
                       "PreferredAuthentications|PubkeyAuthentication|(Local|Remote)Forward|ForwardX11|RequestTTY|"
                       "SetEnv|SendEnv|LogLevel|Compression|IgnoreUnknown|UseKeychain)(\\s+|\\s*=\\s*)[^\\s=]"),
        QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression kSlots(QStringLiteral("^\\s*\\S+\\s+(slots|max_slots)\\s*="));
    qsizetype blocks = 0, options = 0, others = 0;
    for (const QString& line : linesOf(text)) {
        const QString bare = line.trimmed();
        if (bare.isEmpty() || bare.startsWith(u'#'))
            continue;
        if (kSlots.match(bare).hasMatch()) // a host may be named "host"
            return false;
        if (kBlock.match(bare).hasMatch())
            ++blocks;
        else
            ++(kOption.match(bare).hasMatch() ? options : others);
    }
    return blocks > 0 && (options > 0 || others == 0);
}

} // namespace

void ImportCollector::say(int line, const QString& problem, const QString& file)
{
    if (m_imported.problems.size() < kMaxProblems)
        m_imported.problems.append({line, problem, file});
}

Node* ImportCollector::find(const QString& name)
{
    const auto found = m_index.constFind(name);
    return found == m_index.constEnd() ? nullptr : &m_imported.nodes[*found];
}

void ImportCollector::add(const Node& node)
{
    m_index.insert(node.name, m_imported.nodes.size());
    m_imported.nodes.append(node);
}

Result<void> ImportCollector::checkShare(const QString& what, qsizetype good, qsizetype wrong) const
{
    if (good == 0 || wrong <= good)
        return {};
    const ImportedLine& first = m_imported.problems.first();
    return refuse(
        QStringLiteral("%1 of %2 lines name no host, so this is hardly a list of hosts and none was taken over. "
                       "%3 line %4: %5")
            .arg(wrong)
            .arg(wrong + good)
            .arg(what)
            .arg(first.line)
            .arg(first.problem));
}

Result<ImportedNodes> ImportCollector::finish(const QString& what)
{
    std::stable_sort(m_imported.problems.begin(), m_imported.problems.end(),
                     [](const ImportedLine& a, const ImportedLine& b) {
                         return std::tie(a.file, a.line) < std::tie(b.file, b.line);
                     });
    if (!m_imported.nodes.isEmpty())
        return m_imported;
    if (m_imported.problems.isEmpty())
        return refuse(QStringLiteral("%1 names no host; it is empty or all comment.").arg(what));
    const ImportedLine& first = m_imported.problems.first();
    const QString file = first.file.isEmpty() ? QString() : first.file + QLatin1String(", ");
    return refuse(QStringLiteral("%1 has no line that names a host: %2line %3: %4")
                      .arg(what, file)
                      .arg(first.line)
                      .arg(first.problem));
}

Result<Node> nodeNamed(const QString& name, const Address& address)
{
    if (const Result<void> named = checkNodeName(name); !named)
        return std::unexpected(named.error());
    Node node;
    node.name = name;
    node.local = address.host == QLatin1String("localhost") && address.port == 0;
    if (!node.local)
        node.address = address;
    return node;
}

QString withHome(const QString& path)
{
    return path.startsWith(QLatin1String("~/")) ? QDir::homePath() + path.mid(1) : path;
}

QString placedProblem(const QString& path, const ImportedLine& line)
{
    return QStringLiteral("%1:%2: %3").arg(line.file.isEmpty() ? path : line.file).arg(line.line).arg(line.problem);
}

Result<ImportedNodes> importText(const QByteArray& bytes, const QString& folder)
{
    const Result<QString> text = decoded(bytes);
    if (!text)
        return std::unexpected(text.error());
    if (text->trimmed().isEmpty())
        return refuse(QStringLiteral("The file is empty; it names no host."));
    const QStringList lines = linesOf(*text);
    if (isAnsibleJson(*text))
        return importAnsibleYaml(*text, folder);
    if (isSlurmJson(*text))
        return importSlurmJson(*text);
    if (isSlurmRecords(lines))
        return importSlurmRecords(lines);
    if (isAnsibleYaml(lines))
        return importAnsibleYaml(*text, folder);
    if (isAnsibleIni(lines))
        return importAnsibleIni(lines, folder);
    if (const auto table = HostTable::headerOf(lines))
        return table->read(lines);
    if (isHostsFile(lines))
        return importHostsFile(lines);
    if (isGenders(lines))
        return importGenders(lines);
    if (HostTable::isWithoutHeader(lines))
        return refuse(QStringLiteral("This is a table without a header that says which column names the hosts. "
                                     "Write one host a line (gpu1 slots=8), or put a header over it such as "
                                     "name,ip."));
    return importHostfile(lines);
}

Result<ImportedNodes> importFile(const QString& path)
{
    const QString full = withHome(path);
    QFile file(full);
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorCode::NotFound, QStringLiteral("Cannot read %1: %2.").arg(path, file.errorString()));
    const QByteArray bytes = file.read(kMaxFileBytes + 1);
    if (bytes.size() > kMaxFileBytes)
        return refuse(QStringLiteral("%1 is larger than 16 MiB; that is no list of hosts.").arg(path));
    auto imported =
        isSshConfig(QString::fromUtf8(bytes)) ? importSshConfig(full) : importText(bytes, QFileInfo(path).path());
    if (!imported)
        imported.error().text = QStringLiteral("%1: %2").arg(path, imported.error().text);
    return imported;
}

} // namespace lockstep
