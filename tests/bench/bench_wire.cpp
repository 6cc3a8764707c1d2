// SPDX-License-Identifier: GPL-3.0-or-later
// How fast records are encoded and decoded, on one core: the trainer's metric records, every field read as a number.
#include "core/wire/decoder.h"
#include "core/wire/encoder.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

using namespace lockstep::wire;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kRecords = 200'000;
constexpr int kRounds = 7;
constexpr std::size_t kPieceBytes = 64 * 1024; // what a read of a connection gives

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string metricRecords()
{
    std::mt19937 random(20261129);
    std::uniform_real_distribution<double> noise(0.9, 1.1);
    std::string out;
    Encoder encoder(out);
    for (int step = 0; step < kRecords; ++step) {
        encoder.begin("metric", step % 8, 184'467'000'000 + step * 25'000LL)
            .field("step", step)
            .field("epoch", step / 1000)
            .field("loss", static_cast<double>(static_cast<float>(2.3 * std::exp(-step * 1e-5) * noise(random))))
            .field("lr", 0.1)
            .field("samples_per_s", 10'000 * noise(random))
            .field("samples", step * 64)
            .field("data_ms", std::round(noise(random) * 1e3) / 1e3)
            .field("forward_ms", std::round(noise(random) * 4e3) / 1e3)
            .field("backward_ms", std::round(noise(random) * 8e3) / 1e3)
            .field("wait_ms", std::round(noise(random) * 5e2) / 1e3)
            .field("optimizer_ms", std::round(noise(random) * 3e2) / 1e3)
            .end();
    }
    return out;
}

double decodeOnce(const std::string& bytes, double& sum)
{
    const auto start = Clock::now();
    Decoder decoder;
    for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
        decoder.feed(std::string_view(bytes).substr(at, kPieceBytes), [&](const RecordView& record) {
            for (const Field& field : *record.fields)
                sum += field.number().value_or(0);
        });
    }
    const double seconds = secondsSince(start);
    if (decoder.counts().records != kRecords)
        std::printf("lost records: %llu\n", static_cast<unsigned long long>(decoder.counts().records));
    return seconds;
}

} // namespace

int main()
{
    const auto start = Clock::now();
    const std::string bytes = metricRecords();
    const double encodeSeconds = secondsSince(start);
    const double megabytes = static_cast<double>(bytes.size()) * 1e-6;
    double best = 1e9, sum = 0;
    for (int round = 0; round < kRounds; ++round)
        best = std::min(best, decodeOnce(bytes, sum));
    std::printf("records %d  bytes %zu  bytes a record %.0f\n", kRecords, bytes.size(), megabytes * 1e6 / kRecords);
    std::printf("encode %.0f MB/s (with making the numbers up)\n", megabytes / encodeSeconds);
    std::printf("decode %.0f MB/s, %.2f M records/s, %.1f M numbers/s (best of %d; checksum %.6g)\n", megabytes / best,
                kRecords / best * 1e-6, kRecords * 11 / best * 1e-6, kRounds, sum);
    return 0;
}
