// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runstore.h"

#include "core/atomicfile.h"
#include "core/runindex.h"
#include "core/sentence.h"
#include "core/spoolshelf.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

#include <sys/stat.h>

namespace lockstep {
namespace {

std::optional<RunIndex::Stamp> stampOf(const QString& path)
{
    struct stat status {};
    if (::stat(QFile::encodeName(path).constData(), &status) != 0)
        return std::nullopt;
    constexpr qint64 kNsPerS = 1'000'000'000;
    return RunIndex::Stamp{status.st_mtim.tv_sec * kNsPerS + status.st_mtim.tv_nsec, status.st_size};
}

// A run whose files were damaged is still on its nodes.
template <typename T>
Result<T> withAdvice(Result<T> read, const DataFolder& folder, const QString& id)
{
    if (read)
        return read;
    Error error = read.error();
    error.text = QStringLiteral("The run %1 can't be read: %2 Once %3 is moved away, `lockstep attach %1 --nodes SEL` "
                                "reads the run anew from its nodes.")
                     .arg(id, withFullStop(error.text), folder.runFolder(id));
    return std::unexpected(std::move(error));
}

QString notesFile(const DataFolder& folder, const QString& id)
{
    return folder.runFolder(id) + QStringLiteral("/notes.txt");
}

QString stopFile(const DataFolder& folder, const QString& id)
{
    return folder.runFolder(id) + QStringLiteral("/stop");
}

// Nobody goes on with a launch whose program is gone; a run that is on its nodes needs no program here.
void sayCutOff(const DataFolder& folder, RunSummary& run)
{
    const bool launching =
        run.phase == RunPhase::Planning || run.phase == RunPhase::Deploying || run.phase == RunPhase::Starting;
    if (!launching || RunClaim::isHeld(folder.runFolder(run.id)))
        return;
    run.reason = QStringLiteral("the launch was cut off while %1; \"lockstep attach %2\" finds out what became of it")
                     .arg(words(run.phase))
                     .arg(run.number);
    run.phase = RunPhase::Lost;
}

} // namespace

struct RunStore::Index {
    explicit Index(const QString& path) : rows(path) {}
    RunIndex rows;
};

RunStore::RunStore(DataFolder folder, qint64 segmentBytes)
    : m_folder(std::move(folder)), m_index(std::make_unique<Index>(m_folder.indexFile())),
      m_spools(std::make_unique<SpoolShelf>(segmentBytes))
{
}

RunStore::~RunStore() = default;

bool isRunId(const QString& id)
{
    static const QRegularExpression kId(QStringLiteral("^[0-9]{8}-[0-9]{6}-[a-z0-9-]+\\z"));
    return kId.match(id).hasMatch();
}

QDateTime createdOf(const QString& id)
{
    const QDateTime created = QDateTime::fromString(id.left(15), QStringLiteral("yyyyMMdd-HHmmss"));
    return created.isValid() ? created : QDateTime::currentDateTime();
}

Result<void> RunStore::savePlan(const QString& id, const LaunchPlan& plan)
{
    return writeAtomically(m_folder.runFolder(id) + QStringLiteral("/plan.toml"), plan.toToml());
}

Result<void> RunStore::saveState(const RunState& state)
{
    if (!isRunId(state.id))
        return failure(ErrorCode::BadInput, QStringLiteral("\"%1\" is no run's id.").arg(state.id));
    return writeAtomically(m_folder.runFolder(state.id) + QStringLiteral("/state.toml"), toToml(state));
}

Result<RunSpec> RunStore::spec(const QString& id) const
{
    return withAdvice(RunSpec::load(m_folder.runFolder(id) + QStringLiteral("/spec.toml"), RunSpec::Options::Any),
                      m_folder, id);
}

Result<LaunchPlan> RunStore::plan(const QString& id) const
{
    const Result<QByteArray> bytes = readWhole(m_folder.runFolder(id) + QStringLiteral("/plan.toml"));
    return withAdvice(bytes ? LaunchPlan::parse(*bytes) : std::unexpected(bytes.error()), m_folder, id);
}

Result<RunState> RunStore::state(const QString& id) const
{
    const QString path = m_folder.runFolder(id) + QStringLiteral("/state.toml");
    const Result<QByteArray> bytes = readWhole(path);
    return withAdvice(bytes ? parseRunState(*bytes, path) : std::unexpected(bytes.error()), m_folder, id);
}

std::shared_ptr<RunClaim> RunStore::claim(const QString& id) const
{
    return RunClaim::take(m_folder.runFolder(id));
}

Result<void> RunStore::askToStop(const QString& id, int graceS)
{
    return writeAtomically(stopFile(m_folder, id), QByteArray::number(graceS) + '\n');
}

std::optional<int> RunStore::stopAsked(const QString& id) const
{
    if (const Result<QByteArray> asked = readWhole(stopFile(m_folder, id)))
        return asked->trimmed().toInt();
    return std::nullopt;
}

Result<void> RunStore::annotate(const QString& id, const QStringList& tags, const QString& note)
{
    QByteArray text = tags.join(u',').toUtf8() + '\n' + note.toUtf8();
    if (const Result<void> written = writeAtomically(notesFile(m_folder, id), text); !written)
        return written;
    const Result<RunState> known = state(id); // rewritten, so that the index sees a change
    if (!known)
        return std::unexpected(known.error());
    return saveState(*known);
}

Result<RunSummary> RunStore::summary(const QString& id) const
{
    const Result<RunState> known = state(id);
    if (!known)
        return std::unexpected(known.error());
    RunSummary summary = summaryOf(*known);
    summary.id = id; // the folder's name holds, whatever the file says
    if (!known->ranks.isEmpty() && !known->nodes.isEmpty() && isOver(known->phase)) {
        const QString& node = known->nodes[known->ranks.first().nodeIndex].name;
        SpoolFile spool(m_folder.spoolFile(id, node), node);
        addLossCurve(summary, spool);
    }
    if (const Result<QByteArray> notes = readWhole(notesFile(m_folder, id))) {
        const qsizetype line = notes->indexOf('\n');
        summary.tags = QString::fromUtf8(notes->left(line)).split(u',', Qt::SkipEmptyParts);
        summary.note = QString::fromUtf8(notes->mid(line + 1));
    }
    return summary;
}

Result<QList<RunSummary>> RunStore::list()
{
    QList<RunSummary> runs;
    QHash<QString, RunIndex::Row> known = m_index->rows.rows();
    QList<RunIndex::Row> changed;
    const QStringList ids = QDir(m_folder.runsFolder()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString& id : ids) {
        const auto stamp = isRunId(id) ? stampOf(m_folder.runFolder(id) + QStringLiteral("/state.toml")) : std::nullopt;
        if (!stamp)
            continue; // being made, or not ours
        const auto row = known.find(id);
        if (row != known.end() && row->stamp == *stamp) {
            runs.append(row->summary);
        } else if (const Result<RunSummary> fresh = summary(id)) {
            changed.append({*stamp, *fresh});
            runs.append(*fresh);
        } else {
            RunSummary broken; // shown, so that nobody wonders where it went
            broken.id = broken.name = id;
            broken.createdWallUs = createdOf(id).toMSecsSinceEpoch() * 1000;
            broken.phase = RunPhase::Lost;
            broken.reason = fresh.error().text;
            runs.append(broken);
        }
        known.remove(id);
    }
    m_index->rows.replace(changed, known.keys());
    for (RunSummary& run : runs)
        sayCutOff(m_folder, run);
    std::sort(runs.begin(), runs.end(), [](const RunSummary& a, const RunSummary& b) {
        return a.createdWallUs != b.createdWallUs ? a.createdWallUs > b.createdWallUs : a.number > b.number;
    });
    return runs;
}

Result<QString> RunStore::resolve(const QString& text)
{
    const Result<QList<RunSummary>> runs = list();
    if (!runs)
        return std::unexpected(runs.error());
    const QString wanted = text.trimmed();
    if (runs->isEmpty())
        return failure(ErrorCode::NotFound, QStringLiteral("There is no run yet; \"lockstep run SPEC\" starts one."));
    if (wanted == QLatin1String("last"))
        return runs->first().id;
    bool isNumber = false;
    const int number = (wanted.startsWith(u'#') ? wanted.mid(1) : wanted).toInt(&isNumber);
    QStringList beginning;
    QString named;
    for (const RunSummary& run : *runs) { // newest first
        if (run.id == wanted || (isNumber && run.number == number))
            return run.id;
        if (run.id.startsWith(wanted) && !wanted.isEmpty())
            beginning.append(run.id);
        if (named.isEmpty() && run.name == wanted)
            named = run.id;
    }
    if (!named.isEmpty())
        return named;
    if (beginning.size() == 1)
        return beginning.first();
    if (beginning.size() > 1)
        return failure(ErrorCode::BadInput, QStringLiteral("\"%1\" is the beginning of %2 runs: %3. Write more of it.")
                                                .arg(wanted)
                                                .arg(beginning.size())
                                                .arg(beginning.mid(0, 4).join(QLatin1String(", "))));
    return failure(ErrorCode::NotFound, QStringLiteral("No run is called \"%1\". \"lockstep runs\" lists them; an id, "
                                                       "its beginning, a number, a name or \"last\" will do.")
                                            .arg(wanted));
}

} // namespace lockstep
