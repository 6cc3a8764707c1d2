// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop's copy of a spool: what an append costs while segments are finished and compressed beside it, what
// compression saves, and what reading it back costs beside reading plain bytes.
#include "core/spoolshelf.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QThread>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

using namespace lockstep;

namespace {

constexpr qint64 kWholeBytes = 256LL << 20;
constexpr qint64 kPieceBytes = 64 * 1024; // as the stream brings them
constexpr qint64 kReadBytes = 4LL << 20;  // as a page opens a run
constexpr qint64 kProbeBytes = 16 * 1024;
constexpr int kProbes = 500;
constexpr double kMiB = 1 << 20;

std::string records() // of four ranks with step parts, as the trainer writes them
{
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> part(0, 1);
    std::string text;
    char line[300];
    for (long step = 0; static_cast<qint64>(text.size()) < kWholeBytes; ++step) {
        std::snprintf(line, sizeof line,
                      "metric %ld %ld step=%ld loss=%.9g lr=0.001 samples_per_s=%.6g data_ms=%.5g forward_ms=%.5g "
                      "backward_ms=%.5g wait_ms=%.4g optimizer_ms=%.4g\n",
                      step % 4, step * 11'000 + static_cast<long>(part(random) * 9000), step / 4, 2.3 * part(random),
                      9000 * part(random), part(random), 9 * part(random), 12 * part(random), 3 * part(random),
                      part(random));
        text += line;
    }
    return text;
}

double readWhole(SpoolFile& spool) // MiB/s; negative: it failed
{
    QElapsedTimer timer;
    timer.start();
    for (qint64 offset = 0;;) {
        const Result<QByteArray> bytes = spool.read(offset, kReadBytes);
        if (!bytes)
            return -1;
        if (bytes->isEmpty())
            return static_cast<double>(offset) / kMiB / (static_cast<double>(timer.nsecsElapsed()) / 1e9);
        offset += bytes->size();
    }
}

qint64 bytesOnDisk(const QString& folder)
{
    qint64 sum = 0;
    for (const QFileInfo& file : QDir(folder).entryInfoList(QDir::Files))
        sum += file.size();
    return sum;
}

bool isWaiting(const QString& folder) // for a segment to be compressed
{
    const QStringList names = QDir(folder).entryList({QStringLiteral("node.spool.*")}, QDir::Files);
    return std::ranges::any_of(names, [](const QString& name) { return !name.endsWith(QStringLiteral(".zst")); });
}

} // namespace

int main()
{
    const QTemporaryDir folder;
    const QString tail = folder.filePath(QStringLiteral("node.spool"));
    const std::string all = records();
    SpoolShelf shelf(SpoolFile::kSegmentBytes);
    std::vector<double> tookMs;
    QElapsedTimer whole, one;
    whole.start();
    for (std::size_t offset = 0; offset < all.size(); offset += kPieceBytes) {
        one.start();
        SpoolFile& spool = shelf.spool(tail, QStringLiteral("node"));
        if (!spool.append(static_cast<qint64>(offset), std::string_view(all).substr(offset, kPieceBytes)))
            return 1;
        shelf.compressFinished(spool);
        tookMs.push_back(static_cast<double>(one.nsecsElapsed()) / 1e6);
    }
    const double appendS = static_cast<double>(whole.nsecsElapsed()) / 1e9;
    std::ranges::sort(tookMs);
    std::printf(
        "append: %.0f MiB/s; a piece of 64 KiB: p50 %.3f ms, p99 %.3f ms, longest (a segment finished) %.1f ms\n",
        static_cast<double>(all.size()) / kMiB / appendS, tookMs[tookMs.size() / 2], tookMs[tookMs.size() * 99 / 100],
        tookMs.back());
    while (isWaiting(folder.path()))
        QThread::msleep(10);
    std::printf("all compressed %.2f s after the first byte; %.1f of %.1f MiB on disk: %.1f %%\n",
                static_cast<double>(whole.nsecsElapsed()) / 1e9, static_cast<double>(bytesOnDisk(folder.path())) / kMiB,
                static_cast<double>(all.size()) / kMiB,
                100 * static_cast<double>(bytesOnDisk(folder.path())) / static_cast<double>(all.size()));

    one.start();
    SpoolFile compressed(tail, QStringLiteral("node"));
    const bool wholeThere = compressed.size().value_or(-1) == static_cast<qint64>(all.size());
    std::printf("its size is known after %.2f ms%s\n", static_cast<double>(one.nsecsElapsed()) / 1e6,
                wholeThere ? "" : ", AND IS WRONG");
    const QString plainTail = folder.filePath(QStringLiteral("plain.spool"));
    SpoolFile plain(plainTail, QStringLiteral("node"), kWholeBytes * 2);
    if (!plain.append(0, all))
        return 1;
    std::printf("read from end to end: compressed %.0f MiB/s, plain %.0f MiB/s\n", readWhole(compressed),
                readWhole(plain));
    std::mt19937_64 random(2);
    for (auto [name, spool] : {std::pair("compressed", &compressed), {"plain", &plain}}) {
        one.start();
        for (int i = 0; i < kProbes; ++i) {
            if (!spool->read(static_cast<qint64>(random() % all.size()), kProbeBytes))
                return 1;
        }
        std::printf("16 KiB anywhere, %s: %.3f ms\n", name, static_cast<double>(one.nsecsElapsed()) / 1e6 / kProbes);
    }
    return wholeThere ? 0 : 1;
}
