// SPDX-License-Identifier: GPL-3.0-or-later
// Descriptor 3: training never waits for it, and what is lost is counted.
#include "core/wire/decoder.h"
#include "trainer/parallel/portprobe.h"
#include "trainer/records/metricwriter.h"
#include "trainer/records/report.h"
#include "trainer/records/stepmetrics.h"
#include "trainer/stoprequest.h"

#include <QTest>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

using namespace lockstep;
using namespace lockstep::trainer;

namespace {

struct Pipe {
    std::array<int, 2> ends{-1, -1};

    Pipe() { QVERIFY(pipe2(ends.data(), O_CLOEXEC) == 0); }
    ~Pipe()
    {
        close(ends[0]);
        close(ends[1]);
    }
    std::string readAll()
    {
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        std::string all;
        std::array<char, 65536> piece{};
        for (ssize_t got = 0; (got = read(ends[0], piece.data(), piece.size())) > 0;)
            all.append(piece.data(), static_cast<std::size_t>(got));
        return all;
    }
};

std::vector<std::map<std::string, std::string>> decoded(const std::string& bytes)
{
    std::vector<std::map<std::string, std::string>> records;
    wire::Decoder decoder;
    decoder.feed(bytes, [&](const wire::RecordView& view) {
        auto& record = records.emplace_back();
        record["kind"] = view.kind;
        record["rank"] = std::to_string(view.rank);
        for (const wire::Field& field : *view.fields)
            record[std::string(field.key)] = field.text();
    });
    return records;
}

StepResult step(std::int64_t number, double loss)
{
    return {.step = number,
            .epoch = 0.5,
            .loss = loss,
            .lr = 0.1,
            .samples = 64,
            .parts = {.data = 1, .toDevice = 6, .forward = 2, .backward = 3, .wait = 4, .optimizer = 5}};
}

MemoryUse someMemory()
{
    return {.now = 1000, .peak = 2000};
}

} // namespace

class TestTrainerMetrics : public QObject {
    Q_OBJECT

private slots:
    void slowStepsHaveARecordEach();
    void fastStepsShareARecord();
    void whatIsKnownOfSomeStepsOnly();
    void theProcessKnowsItsMemory();
    void notANumberSurvives();
    void aFullPipeBlocksNothing();
    void aClosedDescriptorIsSilent();
    void aReaderThatLeavesIsSilent();
    void factsAreEscaped();
    void portsThatOpenLateAreFound();
};

void TestTrainerMetrics::slowStepsHaveARecordEach()
{
    Pipe pipe;
    MetricWriter writer(pipe.ends[1], 3);
    std::int64_t now = 1'000'000;
    StepMetrics metrics(writer, someMemory, [&now] { return now; });
    for (int i = 1; i <= 3; ++i) {
        now += 100'000;
        metrics.add(step(i, i));
    }
    const auto records = decoded(pipe.readAll());
    QCOMPARE(records.size(), std::size_t{3});
    QCOMPARE(records[1].at("kind"), std::string("metric"));
    QCOMPARE(records[1].at("rank"), std::string("3"));
    QCOMPARE(records[1].at("step"), std::string("2"));
    QCOMPARE(records[1].at("steps"), std::string("1"));
    QCOMPARE(records[1].at("loss"), std::string("2"));
    QCOMPARE(records[1].at("samples_per_s"), std::string("640"));
    QCOMPARE(records[1].at("wait_ms"), std::string("4"));
    QCOMPARE(records[1].at("to_device_ms"), std::string("6"));
    QCOMPARE(records[1].at("memory_bytes"), std::string("1000"));
    QCOMPARE(records[1].at("memory_peak_bytes"), std::string("2000"));
    for (const char* unknown : {"grad_norm", "loss_scale", "skipped", "tokens_per_s"})
        QVERIFY2(!records[1].contains(unknown), unknown); // missing, not zero
}

void TestTrainerMetrics::fastStepsShareARecord()
{
    Pipe pipe;
    MetricWriter writer(pipe.ends[1], 0);
    std::int64_t now = 0;
    StepMetrics metrics(writer, someMemory, [&now] { return now; });
    for (int i = 1; i <= 105; ++i) { // 100 a second
        now += 10'000;
        metrics.add(step(i, i));
    }
    metrics.finish();
    metrics.finish(); // nothing is left to say
    const auto records = decoded(pipe.readAll());
    QCOMPARE(records.size(), std::size_t{21});
    QCOMPARE(records[0].at("steps"), std::string("5"));
    QCOMPARE(records[0].at("step"), std::string("5"));
    QCOMPARE(records[0].at("loss"), std::string("3")); // the mean of 1..5
    QCOMPARE(records[0].at("samples"), std::string("320"));
    QCOMPARE(records[0].at("forward_ms"), std::string("2"));
    QCOMPARE(records[20].at("step"), std::string("105"));
}

void TestTrainerMetrics::whatIsKnownOfSomeStepsOnly()
{
    Pipe pipe;
    MetricWriter writer(pipe.ends[1], 0);
    std::int64_t now = 0;
    StepMetrics metrics(writer, someMemory, [&now] { return now; });
    for (int i = 1; i <= 4; ++i) {
        StepResult result = step(i, 1);
        result.tokens = 500;
        if (i == 2)
            result.gradNorm = 7;
        result.lossScale = 1 << i;
        result.skipped = i % 2;
        result.more = {{"units", std::int64_t{i}}};
        now += 10'000;
        metrics.add(result);
    }
    metrics.finish();
    const auto records = decoded(pipe.readAll());
    QCOMPARE(records.size(), std::size_t{1});
    QCOMPARE(records[0].at("tokens_per_s"), std::string("50000"));
    QCOMPARE(records[0].at("grad_norm"), std::string("7")); // the newest that was measured
    QCOMPARE(records[0].at("loss_scale"), std::string("16"));
    QCOMPARE(records[0].at("skipped"), std::string("2"));
    QCOMPARE(records[0].at("units"), std::string("4"));
}

void TestTrainerMetrics::theProcessKnowsItsMemory()
{
    const MemoryUse before = processMemory();
    QVERIFY(before.now > 1 << 20);
    QVERIFY(before.peak >= before.now);
    constexpr std::size_t kBlock = 64 << 20;
    {
        std::vector<char> block(kBlock, 1);
        QVERIFY(block[kBlock / 2] == 1);
        QVERIFY(processMemory().now > before.now + static_cast<std::int64_t>(kBlock / 2));
    }
    QVERIFY(processMemory().peak > before.now + static_cast<std::int64_t>(kBlock / 2));
}

void TestTrainerMetrics::notANumberSurvives()
{
    Pipe pipe;
    MetricWriter writer(pipe.ends[1], 0);
    std::int64_t now = 0;
    StepMetrics metrics(writer, someMemory, [&now] { return now; });
    now = 60'000;
    metrics.add(step(1, std::nan("")));
    QCOMPARE(decoded(pipe.readAll()).at(0).at("loss"), std::string("nan"));
}

void TestTrainerMetrics::aFullPipeBlocksNothing()
{
    Pipe pipe;
    MetricWriter writer(pipe.ends[1], 0);
    const std::string record = "metric 0 1 text=" + std::string(983, 'x') + "\n";
    constexpr std::size_t kWritten = 3000; // the pipe holds 64 KiB, the buffer 1 MiB
    for (std::size_t i = 0; i < kWritten; ++i)
        writer.write(record);
    QVERIFY(writer.dropped() > 0);
    const std::uint64_t dropped = writer.dropped();

    std::string all = pipe.readAll();
    for (int i = 0; i < 100; ++i) {
        writer.flush(std::chrono::milliseconds(0));
        all += pipe.readAll();
    }
    std::size_t metrics = 0;
    std::uint64_t counted = 0;
    for (const auto& each : decoded(all)) {
        metrics += each.at("kind") == "metric" ? 1 : 0;
        if (each.at("kind") == "dropped") {
            QCOMPARE(each.at("what"), std::string("metric"));
            counted += std::stoull(each.at("count"));
        }
    }
    QCOMPARE(counted, dropped);
    QCOMPARE(metrics + dropped, kWritten); // whole records only
}

void TestTrainerMetrics::aClosedDescriptorIsSilent()
{
    MetricWriter writer(1000, 0);
    QVERIFY(!writer.enabled());
    writer.write("metric 0 1\n");
    writer.flush(std::chrono::milliseconds(10));
    Pipe pipe;
    QVERIFY(!MetricWriter(pipe.ends[0], 0).enabled()); // only readable: it is somebody else's
}

void TestTrainerMetrics::aReaderThatLeavesIsSilent()
{
    StopRequest::install();
    Pipe pipe;
    MetricWriter writer(pipe.ends[1], 0);
    close(pipe.ends[0]);
    writer.write("metric 0 1\n");
    writer.write("metric 0 1\n");
    QVERIFY(!writer.enabled());
}

void TestTrainerMetrics::factsAreEscaped()
{
    Pipe pipe;
    MetricWriter writer(pipe.ends[1], 1);
    Report report(writer, 3);
    report.info({{"checkpoint", std::string("a b\n.pt")}, {"world", std::int64_t{2}}, {"lr", 0.1}});
    const auto records = decoded(pipe.readAll());
    QCOMPARE(records.at(0).at("kind"), std::string("info"));
    QCOMPARE(records.at(0).at("checkpoint"), std::string("a b\n.pt"));
    QCOMPARE(records.at(0).at("world"), std::string("2"));
    QCOMPARE(records.at(0).at("lr"), std::string("0.1"));
}

void TestTrainerMetrics::portsThatOpenLateAreFound()
{
    QCOMPARE(localAddressTowards("127.0.0.1", 9), std::string("127.0.0.1"));
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    QVERIFY(bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0);
    QVERIFY(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    const std::uint16_t port = ntohs(address.sin_port);
    QVERIFY(waitForPort("127.0.0.1", port, std::chrono::milliseconds(50)) == PortState::Closed);
    QVERIFY(listen(listener, 1) == 0);
    QVERIFY(waitForPort("127.0.0.1", port, std::chrono::milliseconds(5000)) == PortState::Open);
    close(listener);
}

QTEST_GUILESS_MAIN(TestTrainerMetrics)
#include "tst_trainermetrics.moc"
