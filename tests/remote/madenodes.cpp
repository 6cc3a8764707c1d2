// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/remote/madenodes.h"

#include "core/wire/decoder.h"
#include "core/wire/encoder.h"
#include "remote/agentcall.h"
#include "remote/localtransport.h"
#include "remote/nodelink.h"

#include <QDir>
#include <QFile>

#include <csignal>
#include <unistd.h>

namespace lockstep::test {

namespace {

using namespace std::chrono_literals;

constexpr auto kAnswerTime = 20s;

// Understands what a trainer's options tell it; writes the records that lockstep-trainer writes.
constexpr char kTrainer[] = R"(#!/bin/sh
steps=10 delay=0.02 fail_rank=-1 fail_step=3 code=3 world=$WORLD_SIZE ignore_term=0 orphan=0 busy_port=0
fail_attempt=$LOCKSTEP_ATTEMPT checkpoint= resume=
while [ $# -gt 1 ]; do
    name=$(printf %s "${1#--}" | tr - _)
    eval "$name=\$2"
    shift 2
done
[ "$ignore_term" = 1 ] && trap '' TERM
[ "$orphan" = 1 ] && { setsid sh -c 'trap "" TERM; while :; do sleep 1; done' & }
if [ "$busy_port" = 1 ] && [ "$LOCKSTEP_ATTEMPT" = 1 ]; then
    echo "RuntimeError: The server socket has failed to bind to [::]:$MASTER_PORT (errno: 98 - Address already in use)." >&2
    exit 1
fi
echo "info - 0 world=$world total_steps=$steps" >&3
[ -n "$resume" ] && echo "resumed from $resume"
i=0
while [ "$i" -lt "$steps" ]; do
    [ -n "$checkpoint" ] && [ "$RANK$i" = 02 ] && echo "info - 0 checkpoint=$checkpoint/step-2.pt checkpoint_step=2" >&3
    echo "metric - 0 step=$i loss=$((steps - i)).25 samples_per_s=100" >&3
    echo "step $i of rank $RANK"
    if [ "$RANK" = "$fail_rank" ] && [ "$i" = "$fail_step" ] && [ "$LOCKSTEP_ATTEMPT" = "$fail_attempt" ]; then
        echo "no more memory on rank $RANK" >&2
        [ "$code" = kill ] && kill -9 $$
        exit "$code"
    fi
    i=$((i + 1))
    sleep "$delay"
done
)";

void writeProgram(const QString& path, const QByteArray& text)
{
    QDir().mkpath(path.section(QLatin1Char('/'), 0, -2));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("cannot write %s", qPrintable(path));
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

// The facts of this machine with the one interface, and the devices, that the made node has.
QByteArray withOwnDevices(const QByteArray& out, const MadeNode& node)
{
    const QString& address = node.address;
    std::string text;
    wire::Encoder encoder(text);
    wire::Decoder decoder;
    decoder.feed({out.constData(), static_cast<std::size_t>(out.size())}, [&](const wire::RecordView& record) {
        encoder.begin(record.kind, record.rank, record.timeUs);
        for (const wire::Field& field : *record.fields)
            if (!field.key.starts_with("if/") && !field.key.starts_with("gpu/"))
                encoder.field(field.key, field.text());
        encoder.field("if/0/name", "eth0").field("if/0/addr/0", (address + QStringLiteral("/24")).toStdString());
        encoder.field("if/0/up", 1).field("if/0/loopback", 0).field("if/0/speed_mbps", 1000);
        if (node.hasGpu)
            encoder.field("gpu/0/index", 0)
                .field("gpu/0/uuid", "GPU-5eed")
                .field("gpu/0/name", "made")
                .field("driver", "580.65")
                .field("cuda", "13.0");
        encoder.end();
    });
    return QByteArray::fromStdString(text);
}

class CutProcess final : public Process {
public:
    CutProcess(std::unique_ptr<Process> process, std::shared_ptr<MadeNode> node, bool isProbe)
        : m_process(std::move(process)), m_node(std::move(node)), m_isProbe(isProbe)
    {
    }
    Result<Chunk> read(Deadline deadline, std::stop_token stop) override
    {
        while (m_node->cut) { // bytes that are on their way stay there
            if (stop.stop_requested())
                return failure(ErrorCode::Stopped, QStringLiteral("stopped"));
            if (std::chrono::steady_clock::now() >= deadline.at)
                return failure(ErrorCode::Timeout, QStringLiteral("no answer from %1").arg(m_node->node.name));
            ::usleep(5000);
        }
        auto chunk = m_process->read(deadline, stop);
        if (chunk && m_isProbe)
            chunk->out = withOwnDevices(chunk->out, *m_node);
        return chunk;
    }
    Result<void> write(const QByteArray& bytes, Deadline deadline, std::stop_token stop) override
    {
        if (m_node->cut)
            return failure(ErrorCode::ConnectionLost, QStringLiteral("the link to %1 is cut").arg(m_node->node.name));
        if (m_node->cutAfter > 0 && (m_node->cutAfter -= bytes.size()) <= 0)
            m_node->cut = true;
        if (bytes.startsWith("go ") && m_node->cutAtGo.exchange(false))
            m_node->cut = true;
        return m_process->write(bytes, deadline, stop);
    }
    void queueInput(const QByteArray& bytes) override { m_process->queueInput(bytes); }
    Result<void> closeInput() override { return m_process->closeInput(); }

private:
    std::unique_ptr<Process> m_process;
    std::shared_ptr<MadeNode> m_node;
    bool m_isProbe;
};

class MadeTransport final : public Transport {
public:
    explicit MadeTransport(std::shared_ptr<MadeNode> node) : m_node(std::move(node)), m_local(m_node->node) {}
    const Node& node() const override { return m_node->node; }
    Result<void> connect(Deadline deadline, std::stop_token stop) override
    {
        if (m_node->refuses) {
            ++m_node->refusals;
            return failure(ErrorCode::AuthFailed, QStringLiteral("%1 did not let us in.").arg(m_node->node.name),
                           m_node->node.name);
        }
        if (m_node->cut)
            return failure(ErrorCode::Unreachable, QStringLiteral("%1 does not answer").arg(m_node->node.name),
                           m_node->node.name);
        ++m_node->connections;
        return m_local.connect(deadline, stop);
    }
    Result<std::unique_ptr<Process>> start(const QList<QByteArray>& argv, Deadline deadline, std::stop_token stop,
                                           Lane lane) override
    {
        QList<QByteArray> words{"env", "HOME=" + m_node->home.toUtf8(), "LOCKSTEP_CACHE_DIR=" + m_node->cache.toUtf8(),
                                "LOCKSTEP_RUNS_DIR=" + m_node->runs.toUtf8()};
        if (!m_node->clockFile.isEmpty())
            words += {"LD_PRELOAD=" LOCKSTEP_TEST_DIR "/libclockjump.so", "CLOCK_JUMP=" + m_node->clockFile.toUtf8(),
                      "ASAN_OPTIONS=verify_asan_link_order=0:alloc_dealloc_mismatch=0"}; // of such a build
        if (argv.value(1) == "launch" && m_node->unprepared)
            words += {"sh", "-c", "echo 'error - 0 code=disk text=the\\sdisk\\sis\\sfull'; exit 1"};
        else if (argv.value(1) == "results" && m_node->sendsNothing)
            words += {"sh", "-c", "read -r first"};
        else
            words += argv;
        auto process = m_local.start(words, deadline, stop, lane);
        if (!process)
            return process;
        return std::make_unique<CutProcess>(std::move(*process), m_node, argv.value(1) == "probe");
    }
    bool isConnected() const override { return !m_node->cut && !m_node->refuses; } // as if somebody had made it
    std::optional<HostKey> hostKey() const override { return {}; }
    QString signedInWith() const override { return QStringLiteral("test"); }

private:
    std::shared_ptr<MadeNode> m_node;
    LocalTransport m_local;
};

QList<qint64> processesWith(const char* file, const QByteArray& word)
{
    QList<qint64> pids;
    for (const QString& name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile open(QStringLiteral("/proc/%1/%2").arg(name, QLatin1String(file)));
        bool number = false;
        const qint64 pid = name.toLongLong(&number);
        if (number && open.open(QIODevice::ReadOnly) && open.readAll().split('\0').contains(word))
            pids.append(pid);
    }
    return pids;
}

} // namespace

void makeBundle(const QString& folder)
{
    writeProgram(folder + QStringLiteral("/lockstep-trainer"), kTrainer);
    writeProgram(folder + QStringLiteral("/lib/libextra.so.1"), QByteArray(300'000, 'x') + "end");
}

MadeNodes::MadeNodes(int count)
{
    makeBundle(bundleFolder());
    for (int i = 0; i < count; ++i) {
        auto made = std::make_shared<MadeNode>();
        made->node.name = QStringLiteral("n%1").arg(i + 1);
        made->address = QStringLiteral("10.77.0.%1").arg(i + 1);
        made->node.address.host = made->address;
        const QString own = m_folder.path() + QLatin1Char('/') + made->node.name;
        made->home = own + QStringLiteral("/home");
        made->cache = own + QStringLiteral("/cache");
        made->runs = own + QStringLiteral("/runs");
        QDir().mkpath(made->home);
        m_nodes.push_back(std::move(made));
    }
}

MadeNodes::~MadeNodes()
{
    // Whatever a failed test left: by the runs' tags, which are in a folder that only this test has.
    for (const auto& node : m_nodes)
        for (const QString& run : QDir(node->runs).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            for (const qint64 pid : tagged(run))
                ::kill(static_cast<pid_t>(pid), SIGKILL);
}

RunParts MadeNodes::parts() const
{
    RunParts parts;
    parts.transports = [nodes = m_nodes](const Node& node) -> std::unique_ptr<Transport> {
        for (const auto& made : nodes)
            if (made->node.name == node.name)
                return std::make_unique<MadeTransport>(made);
        qFatal("no made node %s", qPrintable(node.name));
    };
    parts.agentFile = QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep-agent");
    parts.bundleFolder = bundleFolder();
    parts.cacheFolder = m_folder.path() + QStringLiteral("/desktop-cache");
    return parts;
}

QList<Node> MadeNodes::nodes() const
{
    QList<Node> nodes;
    for (const auto& made : m_nodes)
        nodes.append(made->node);
    return nodes;
}

Inventory MadeNodes::inventory() const
{
    Inventory inventory;
    inventory.nodes = nodes();
    return inventory;
}

QByteArray MadeNodes::spool(int index, const QString& run) const
{
    const QDir folder(m_nodes[static_cast<std::size_t>(index)]->runs + QLatin1Char('/') + run);
    QByteArray bytes;
    for (const QString& name : folder.entryList({QStringLiteral("spool.*")}, QDir::Files, QDir::Name)) {
        QFile file(folder.filePath(name));
        if (file.open(QIODevice::ReadOnly))
            bytes += file.readAll();
    }
    return bytes;
}

QList<qint64> MadeNodes::tagged(const QString& run)
{
    return processesWith("environ", "LOCKSTEP_RUN=" + run.toUtf8());
}

QList<qint64> MadeNodes::followers(const QString& run)
{
    const QList<qint64> named = processesWith("cmdline", run.toUtf8());
    QList<qint64> following = processesWith("cmdline", "follow");
    following.removeIf([&named](qint64 pid) { return !named.contains(pid); });
    return following;
}

qint64 MadeNodes::supervisor(int index, const QString& run)
{
    const auto agent = AgentFile::load(parts().agentFile);
    const auto link = agent ? openNode(parts().transports, nodes()[index], *agent, {}) : std::unexpected(agent.error());
    const Deadline deadline = Deadline::in(kAnswerTime);
    auto call = link ? AgentCall::start(*link->transport, link->agent.path, {"list"}, deadline, {})
                     : std::unexpected(link.error());
    const auto records = call ? call->all(deadline, {}) : std::unexpected(call.error());
    if (records)
        for (const AgentRecord& record : *records)
            if (record.text("run") == run)
                return record.integer("pid").value_or(0);
    return 0;
}

} // namespace lockstep::test
