// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/bootstrap.h"

#include "core/wire/decoder.h"
#include "remote/contenthash.h"

#include <QCoreApplication>
#include <QFile>
#include <QRandomGenerator>

namespace lockstep {

namespace {

// $1: hash. Says `agent-path PATH` and then what the agent says of itself, or exits with 90.
constexpr char kAskText[] = R"(d=${LOCKSTEP_CACHE_DIR:-$HOME/.cache/lockstep}/agent/$1
f=$d/lockstep-agent
[ -x "$f" ] || exit 90
printf 'agent-path %s\n' "$f"
exec "$f" version
)";

// $1: hash, $2: size, $3: a random word (a home may be shared by nodes, so a process id is no name). The file comes on
// stdin and is moved into place when it is whole and runs. It is read to its end in any case: the exit code is to
// arrive, not a broken pipe.
constexpr char kPlaceText[] = R"(umask 077
d=${LOCKSTEP_CACHE_DIR:-$HOME/.cache/lockstep}/agent/$1
f=$d/lockstep-agent
t=$d/new.$3
mkdir -p "$d" || { cat > /dev/null; exit 91; }
trap 'rm -f "$t"' EXIT
trap 'exit 92' HUP INT TERM
cat > "$t" || { cat > /dev/null; exit 92; }
n=$(wc -c < "$t")
[ "$n" -eq "$2" ] || exit 93
chmod 700 "$t" || exit 92
"$t" version > /dev/null || exit 94
mv -f "$t" "$f" || exit 92
printf 'agent-path %s\n' "$f"
"$f" version
)";

constexpr int kNoFolder = 91;
constexpr int kNoWrite = 92;
constexpr int kWrongSize = 93;
constexpr int kDoesNotRun = 94;
constexpr qsizetype kShownBytes = 300;

QString wordsOf(const Finished& finished)
{
    return QString::fromUtf8(finished.err.trimmed().right(kShownBytes)).simplified();
}

// `agent-path PATH`, then a `version` record. Lines before them are a banner.
std::optional<PlacedAgent> understood(const QByteArray& out)
{
    PlacedAgent placed;
    std::vector<wire::Field> fields;
    for (const QByteArray& line : out.split('\n')) {
        if (line.startsWith("agent-path "))
            placed.path = line.mid(11);
        wire::RecordView record;
        if (wire::decodeLine({line.constData(), static_cast<std::size_t>(line.size())}, record, fields) &&
            record.kind == "version")
            placed.version = QString::fromStdString(record.text("agent"));
    }
    if (!placed.path.startsWith('/') || placed.version.isEmpty())
        return std::nullopt;
    return placed;
}

Error refusal(const Finished& finished, const QString& node)
{
    const QString words = wordsOf(finished);
    const QString what = QStringLiteral("lockstep-agent could not be put on %1: ").arg(node);
    QString why;
    switch (finished.exitCode) {
    case kNoFolder:
        why = QStringLiteral(
            "its folder in ~/.cache/lockstep cannot be made (%1). Free it, or set LOCKSTEP_CACHE_DIR there.");
        break;
    case kNoWrite:
        why = QStringLiteral("it cannot be written (%1). Is the disk or the quota of the home full?");
        break;
    case kWrongSize:
        why = QStringLiteral("it arrived cut short (%1). Try again.");
        break;
    case kDoesNotRun:
        why =
            words.contains(QLatin1String("ermission denied"))
                ? QStringLiteral(
                      "it may not be executed there (%1). The home is mounted noexec: set LOCKSTEP_CACHE_DIR "
                      "there to a folder that allows programs.")
                : QStringLiteral("it does not run there (%1). It is built for x86-64 Linux with glibc 2.34 or newer.");
        break;
    default:
        why = QStringLiteral("the shell there ended with exit code %2 (%1).");
    }
    why = why.contains(QLatin1String("%2")) ? why.arg(words).arg(finished.exitCode) : why.arg(words);
    why.remove(QLatin1String(" ()")); // it said nothing
    return {ErrorCode::Agent, what + why, node};
}

} // namespace

Result<AgentFile> AgentFile::load(const QString& path)
{
    const auto hash = hashFile(path);
    if (!hash)
        return failure(ErrorCode::NotFound,
                       QStringLiteral("lockstep-agent cannot be read at %1. Build the target lockstep-agent, or set "
                                      "LOCKSTEP_AGENT to where it lies.")
                           .arg(path));
    return AgentFile{path, hash->hex, hash->size};
}

QString AgentFile::standardPath()
{
    const QString chosen = qEnvironmentVariable("LOCKSTEP_AGENT");
    return chosen.isEmpty() ? QCoreApplication::applicationDirPath() + QStringLiteral("/lockstep-agent") : chosen;
}

Result<PlacedAgent> placeAgent(Transport& transport, const AgentFile& file, Deadline deadline, std::stop_token stop)
{
    const QString node = transport.node().name;
    auto asked = transport.run({"sh", "-c", kAskText, "lockstep", file.hash}, {}, deadline, stop);
    if (!asked)
        return std::unexpected(asked.error());
    if (asked->exitCode == 0)
        if (auto placed = understood(asked->out))
            return *placed;
    // Missing (exit code 90), or broken in a way that a fresh copy may cure: a half-deleted cache, a disk that was
    // full.

    QFile program(file.path);
    if (!program.open(QIODevice::ReadOnly))
        return failure(ErrorCode::Io, QStringLiteral("%1 cannot be read: %2").arg(file.path, program.errorString()));
    const QByteArray bytes = program.readAll();
    auto sent = transport.run({"sh", "-c", kPlaceText, "lockstep", file.hash, QByteArray::number(bytes.size()),
                               QByteArray::number(QRandomGenerator::system()->generate64(), 16)},
                              bytes, deadline, stop);
    if (!sent)
        return std::unexpected(sent.error());
    if (sent->exitCode != 0)
        return std::unexpected(refusal(*sent, node));
    auto placed = understood(sent->out);
    if (!placed)
        return failure(ErrorCode::Protocol,
                       QStringLiteral("lockstep-agent was put on %1 but does not say its version: “%2”")
                           .arg(node, QString::fromUtf8(sent->out.left(kShownBytes)).simplified()),
                       node);
    placed->bytesSent = bytes.size();
    return *placed;
}

} // namespace lockstep
