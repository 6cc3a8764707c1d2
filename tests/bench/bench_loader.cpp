// SPDX-License-Identifier: GPL-3.0-or-later
// bench_loader EPOCHS [the trainer's options]: what the trainer's loader gives when nobody computes, in samples/s,
// after one epoch to warm up. loader.py runs it beside Python's DataLoader.
#include "trainer/data/batchworkers.h"
#include "trainer/data/loader.h"
#include "trainer/failure.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>

using namespace lockstep::trainer;

namespace {

std::int64_t runEpoch(Loader& loader, const DistributedSampler& sampler, const Options& options, std::int64_t epoch)
{
    loader.begin(sampler.share(epoch), {static_cast<std::uint64_t>(options.seed), epoch});
    std::int64_t samples = 0;
    while (loader.left() > 0)
        samples += loader.next().samples;
    return samples;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2)
        return 2;
    try {
        const std::int64_t epochs = std::atoll(argv[1]);
        const auto options = parseOptions(std::span(argv + 2, static_cast<std::size_t>(argc - 2)));
        if (!options)
            return 0;
        const DataSplit data = loadData(*options);
        const DistributedSampler sampler(data.train->count(), {.seed = options->seed});
        Loader loader(
            *data.train,
            {.batch = options->batch, .workers = workersFor(options->workers, 1), .prefetch = options->prefetch});
        (void)runEpoch(loader, sampler, *options, 0);
        const auto start = std::chrono::steady_clock::now();
        std::int64_t samples = 0;
        for (std::int64_t epoch = 1; epoch <= epochs; ++epoch)
            samples += runEpoch(loader, sampler, *options, epoch);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::printf("samples_per_s=%.0f\n", static_cast<double>(samples) / seconds);
        return 0;
    } catch (const Failure& failure) {
        std::fprintf(stderr, "bench_loader: %s\n", failure.what());
        return static_cast<int>(failure.code());
    }
}
