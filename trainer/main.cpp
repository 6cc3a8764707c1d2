// SPDX-License-Identifier: GPL-3.0-or-later
// lockstep-trainer: distributed data-parallel training, one process a rank. train() is the recipe, from top to bottom.
#include "trainer/checkpoint.h"
#include "trainer/ddp.h"
#include "trainer/device.h"
#include "trainer/evaluation.h"
#include "trainer/failure.h"
#include "trainer/fingerprint.h"
#include "trainer/loader.h"
#include "trainer/lostpeer.h"
#include "trainer/model.h"
#include "trainer/optimizer.h"
#include "trainer/processgroup.h"
#include "trainer/report.h"
#include "trainer/resume.h"
#include "trainer/startup.h"
#include "trainer/stepclock.h"
#include "trainer/stepmetrics.h"
#include "trainer/stoprequest.h"

#include <ATen/ATen.h>

#include <unistd.h>

#include <cmath>

using namespace lockstep::trainer;

namespace {

constexpr std::chrono::milliseconds kFlushDeadline{1000};

SamplerOptions samplerOptions(const Options& options, const Placement& place)
{
    return {place.world, place.rank, options.shuffle == Switch::Yes ? Order::Shuffled : Order::AsStored,
            options.dropLast == Switch::Yes ? Remainder::Drop : Remainder::Pad, options.seed};
}

double passesOf(const Progress& progress, std::int64_t stepsPerEpoch)
{
    return static_cast<double>(progress.epoch) +
           static_cast<double>(progress.batchInEpoch) / static_cast<double>(stepsPerEpoch);
}

void train(const Options& options, const Placement& place, MetricWriter& metrics)
{
    using Mark = StepClock::Mark;

    // 1. A device, and a group of all ranks. The plug-in comes before anything else asks LibTorch about CUDA.
    const CudaPlugin plugin = options.device == DeviceKind::Cpu ? CudaPlugin{} : CudaPlugin::load();
    const Device device = Device::choose(options, place, plugin);
    setThreads(options, place);
    ProcessGroup group(place, options, device);

    // 2. The data; every rank samples its own share of each epoch.
    const DataSplit data = loadData(options);
    const DistributedSampler sampler(data.train.count(), samplerOptions(options, place));
    Loader loader(data.train, options.batch, options.dropLast == Switch::Yes ? Remainder::Drop : Remainder::Pad,
                  device.tensors);
    const std::int64_t stepsPerEpoch = loader.batchesOf(sampler.perRank());
    const std::int64_t totalSteps = planSteps(options, stepsPerEpoch);
    group.barrier(asMilliseconds(options.rendezvousTimeoutS)); // a slow disk is no lost peer

    // 3. The model, the same on every rank: the seed makes it, and Ddp broadcasts rank 0's.
    seedEverything(options);
    const std::shared_ptr<Model> model = makeModel(options.model, shapeOf(data.train));
    model->to(device.tensors);
    Optimizer optimizer(model->parameters(), options);
    StepClock clock(device);
    Ddp ddp(group, *model, {options.bucketMib, options.firstBucketMib}, [&clock] { clock.mark(Mark::LastGradient); });

    const auto lossOf = [&](const Batch& batch) {
        return ddp.forward([&] { return at::cross_entropy_loss(model->forward(batch.images), batch.labels); });
    };

    // 4. Where to begin.
    Progress progress{.batch = options.batch, .world = place.world, .seed = options.seed};
    if (!options.resume.empty()) {
        // A pass that counts for nothing lets the reducer order its buckets as it had done in the run that is resumed.
        loader.begin(sampler.indices(0));
        lossOf(loader.batch(0)).backward();
        optimizer.zeroGradients();
        progress = resume(options.resume, *model, optimizer, group, progress);
    }
    Report report(metrics, options.epochs);
    report.info(runFacts(options, place, device, data.train, *model, stepsPerEpoch, totalSteps));
    report.line(runLine(options, place, device, *model));

    // 5. Train: forward, backward (which reduces the gradients meanwhile), step.
    StepMetrics stepMetrics(metrics);
    while (progress.step < totalSteps) {
        loader.begin(sampler.indices(progress.epoch));
        stepMetrics.begin();
        EpochMean mean;
        while (progress.batchInEpoch < loader.batches() && progress.step < totalSteps) {
            clock.mark(Mark::Start);
            const Batch batch = loader.batch(progress.batchInEpoch);
            clock.mark(Mark::DataReady);
            const at::Tensor loss = lossOf(batch);
            clock.mark(Mark::ForwardDone);
            loss.backward();
            clock.mark(Mark::GradientsReduced);
            optimizer.step();
            optimizer.zeroGradients();
            clock.mark(Mark::Done);

            ++progress.step;
            ++progress.batchInEpoch;
            const double value = loss.item<double>();
            const std::int64_t samples = batch.labels.size(0);
            mean.add(value, samples);
            stepMetrics.add({progress.step, passesOf(progress, stepsPerEpoch), value, optimizer.learningRate(), samples,
                             clock.parts()});
            if (!std::isfinite(value) && options.onNan == OnNan::Stop)
                throw Failure(ExitCode::NanLoss, "the loss is " + std::to_string(value) + " at step " +
                                                     std::to_string(progress.step) + "; a smaller --lr may help");
            if (StopRequest::made())
                throw Failure(ExitCode::Terminated, "stopped by SIGTERM after step " + std::to_string(progress.step));
        }
        stepMetrics.finish();
        if (progress.batchInEpoch == stepsPerEpoch) {
            ++progress.epoch;
            progress.batchInEpoch = 0;
        }

        // 6. What the epoch came to, over all ranks; then keep it.
        EpochResult result = mean.over(group);
        const Evaluation tested = evaluate(*model, data.test, group, device);
        result.epoch = passesOf(progress, stepsPerEpoch);
        result.step = progress.step;
        result.testLoss = tested.loss;
        result.testAccuracy = tested.accuracy;
        report.epoch(result);
        if (!options.checkpoint.empty() && place.rank == 0) {
            saveCheckpoint(options.checkpoint, *model, optimizer, progress);
            report.checkpoint(options.checkpoint, progress.step);
        }
    }

    // 7. All ranks hold the same bits now.
    report.info({{"parameter_hash", fingerprint(model->parameters())}, {"steps_done", progress.step}});
    if (!options.dumpParameters.empty())
        dumpTensors(model->parameters(), options.dumpParameters + "." + std::to_string(place.rank));
    group.barrier(asMilliseconds(options.timeoutS)); // rank 0 hosts the store: it leaves last
    metrics.flush(kFlushDeadline);
}

// A rank that fails ends at once: one that lingered would hang its peers in their next collective.
[[noreturn]] void end(ExitCode code, int rank, const std::string& sentence, MetricWriter& metrics)
{
    metrics.flush(kFlushDeadline);
    std::fflush(stdout);
    std::fprintf(stderr, "lockstep-trainer: rank %d: %s\n", rank, oneLine(sentence).c_str());
    std::fflush(stderr);
    _exit(static_cast<int>(code));
}

} // namespace

int main(int argc, char** argv)
{
    tuneAllocator();
    StopRequest::install();
    Placement place;
    MetricWriter metrics(MetricWriter::kDescriptor, 0);
    try {
        place = placementFrom(environmentVariable);
        metrics.setRank(place.rank);
        const auto options = parseOptions(std::span(argv + 1, static_cast<std::size_t>(argc - 1)));
        if (options)
            train(*options, place, metrics);
        return 0;
    } catch (const Failure& failure) {
        end(failure.code(), place.rank, failure.what(), metrics);
    } catch (const std::exception& error) {
        if (StopRequest::made()) // its peers may have stopped one step earlier
            end(ExitCode::Terminated, place.rank, "stopped by SIGTERM", metrics);
        if (speaksOfLostPeer(error.what()))
            end(ExitCode::LostPeer, place.rank, std::string("another rank is gone or does not answer: ") + error.what(),
                metrics);
        end(ExitCode::Unexpected, place.rank, error.what(), metrics);
    }
}
