// SPDX-License-Identifier: GPL-3.0-or-later
// lockstep-trainer: distributed data-parallel training, one process a rank. train() is the recipe, from top to bottom.
#include "trainer/agreement.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/checkpoint/rehearsal.h"
#include "trainer/checkpoint/weights.h"
#include "trainer/data/sampleorder.h"
#include "trainer/evaluation.h"
#include "trainer/failure.h"
#include "trainer/fingerprint.h"
#include "trainer/gradients.h"
#include "trainer/lastwords.h"
#include "trainer/models/prepare.h"
#include "trainer/parallel/graphed.h"
#include "trainer/parallel/strategy.h"
#include "trainer/records/steprecorder.h"
#include "trainer/saverequest.h"
#include "trainer/schedule.h"
#include "trainer/startcheck.h"
#include "trainer/startup.h"
#include "trainer/statesize.h"
#include "trainer/stoprequest.h"

using namespace lockstep::trainer;

namespace {

constexpr std::chrono::milliseconds kFlushDeadline{1000};
constexpr std::int64_t kFirstSteps = 20; // after which buckets and units are as they stay

void train(const Options& options, MetricWriter& metrics)
{
    using Mark = StepClock::Mark;

    // 1. A device, and a group of all ranks. The plug-in comes before anything else asks LibTorch about CUDA.
    const CudaPlugin plugin = options.device == DeviceKind::Cpu ? CudaPlugin{} : CudaPlugin::load();
    const Placement place = placementFor(options.init, environmentVariable);
    metrics.setRank(place.rank);
    const Device device = Device::choose(options, place, plugin);
    setThreads(options, place);
    ProcessGroup group(place, options, device);
    checkStart(group, options, device);

    // 2. The data; every rank samples its own share of each epoch.
    const DataSplit data = loadData(options);
    const DistributedSampler sampler(data.train->count(), samplerOptions(options, place));
    Loader loader(*data.train, loaderOptions(options, place, device));
    Steps steps = planSteps(options, loader.batchesOf(sampler.perRank()));
    const Statement order = sampleOrder(options, *data.train);
    checkData(group, data, order, options.rendezvousTimeout());

    // 3. The model, the same on every rank: the seed makes it, and the strategy broadcasts rank 0's.
    seedWeights(options);
    const std::shared_ptr<Model> model = makeModel(options, data.train->shape());
    prepareModel(*model, options, group, device);
    StepClock clock(device);
    const Objective objective(*model, options, device.tensors);
    checkLoss(objective, options, data.train->shape());
    const std::unique_ptr<Strategy> strategy = withGraphs(
        options, device, place.world, clock, makeStrategy(options, data.train->shape(), group, objective, clock));
    Optimizer optimizer(strategy->parameters(), options);
    GradScaler scaler(options, device.tensors);
    Gradients gradients(options, *strategy, scaler, trainableNames(*model));

    // 4. Where to begin.
    Report report(metrics, options.epochs);
    Progress progress{.seed = options.seed};
    EpochMean mean;
    TrainingState state{*model, *strategy, optimizer, scaler, group, progress, mean, order};
    Checkpoints checkpoints(options, group, report);
    if (!options.resume.empty())
        rehearse(loader, sampler, *model, *strategy, optimizer, device, clock);
    checkpoints.begin(state);
    steps = planSteps(options, steps, progress, loader, sampler);
    const Schedule schedule = scheduleFor(options, steps.total);
    checkParameters(group, *strategy, *model);
    reportStart(report, options, place, device, data, *model, steps, progress);
    report.info(group.facts());

    // 5. Train: forward, backward (which reduces the gradients meanwhile), step.
    StepMetrics stepMetrics(metrics, [&device] { return device.memory(); });
    StepRecorder recorder(stepMetrics, clock, device);
    Agreement agreement(group);
    const std::int64_t factsAt = progress.step + kFirstSteps;
    const auto count = [&](const std::optional<StepResult>& done) {
        if (done && counts(options, *done))
            mean.add(*done);
    };
    const auto settle = [&] { // a GPU's numbers come a step late
        count(recorder.finish());
        gradients.settle();
    };
    while (progress.step < steps.total) {
        loader.begin(sampler.share(progress.epoch, progress.takenOfEpoch),
                     {static_cast<std::uint64_t>(options.seed), progress.epoch});
        stepMetrics.begin();
        mean.begin(progress.takenOfEpoch);
        while (loader.left() > 0 && progress.step < steps.total) {
            seedStep(options, place.rank, progress.step);
            const std::int64_t forwards = std::min(options.accumulate, loader.left());
            const std::int64_t samples = loader.samplesOfNext(forwards); // of the whole step on all ranks
            for (std::int64_t i = 1; i <= forwards; ++i) {
                clock.mark(Mark::Start);
                Batch batch = loader.next();
                clock.mark(Mark::DataReady);
                batch = toDevice(std::move(batch), device);
                const StandInScope standIn(*model, batch);
                clock.mark(Mark::OnDevice);
                const at::Tensor loss = strategy->forward(batch, i < forwards ? Sync::Later : Sync::Now);
                clock.mark(Mark::ForwardDone);
                strategy->backward(scaler.scaled(shareOf(loss, batch.samples, samples, place.world)));
                clock.mark(Mark::BackwardDone);
                recorder.forward(loss, batch);
            }
            if (progress.step == 0 && !options.dumpGradients.empty())
                dumpGradients(*strategy, options.dumpGradients + "." + std::to_string(place.rank));
            const double rate = schedule.at(progress.step);
            if (gradients.finish(progress.step))
                optimizer.step(rate, gradients.leaveOut());
            scaler.update();
            if (progress.step + 1 == factsAt)
                report.info(stateSize(*strategy, optimizer));
            optimizer.zeroGradients();
            clock.mark(Mark::Done);

            ++progress.step;
            progress.takenOfEpoch += samples;
            if (loader.left() == 0) {
                ++progress.epoch;
                progress.takenOfEpoch = 0;
            }
            count(recorder.step({.step = progress.step,
                                 .epoch = passesOf(progress, sampler.total()),
                                 .lr = rate,
                                 .gradNorm = gradients.norm(),
                                 .lossScale = gradients.lossScale(),
                                 .skipped = gradients.skipped(),
                                 .more = strategy->metrics()}));
            for (const std::string& name : gradients.withoutGradient())
                report.noGradient(name);
            if (progress.step == factsAt) {
                report.info(strategy->facts());
                report.info(device.transport(place.world));
            }
            const Wishes wishes = agreement.after(progress.step, {checkpoints.wanted(), StopRequest::made()});
            if (wishes.checkpoint || wishes.stop || checkpoints.dueAfterStep(progress.step)) {
                settle(); // what was not finite must not be in it
                checkpoints.save(state, std::nullopt);
            }
            if (wishes.stop) {
                checkpoints.conclude();
                throw Failure(ExitCode::Terminated, "stopped by SIGTERM after step " + std::to_string(progress.step));
            }
        }
        settle();

        // 6. What the epoch came to, over all ranks; then keep it. A SIGTERM waits for that.
        const StopRequest::Hold hold;
        EpochResult result = mean.over(group);
        result.epoch = passesOf(progress, sampler.total());
        result.step = progress.step;
        if (data.test && evaluationDue(options, progress, steps.total))
            result.test = evaluate(*strategy, *model, *data.test, group, device, options);
        report.epoch(result);
        if (checkpoints.dueAfterEpoch(progress.epoch) || progress.step == steps.total)
            checkpoints.save(state, result.testLoss());
    }

    // 7. All ranks hold the same bits now.
    gradients.refuseNothingTaken();
    report.info(strategy->facts());
    if (progress.step < factsAt)
        report.info(device.transport(place.world));
    report.info({{"parameter_hash", fingerprint(*strategy)}, {"steps_done", progress.step}});
    if (!options.dumpParameters.empty())
        dumpParameters(*strategy, options.dumpParameters + "." + std::to_string(place.rank));
    if (!options.exportWeights.empty())
        exportWeights(options.exportWeights, *model, *strategy, group);
    group.barrier(options.timeout()); // rank 0 hosts the store: it leaves last
    checkpoints.conclude();
    metrics.flush(kFlushDeadline);
}

} // namespace

int main(int argc, char** argv)
{
    tuneAllocator();
    StopRequest::install();
    SaveRequest::install();
    MetricWriter metrics(MetricWriter::kDescriptor, rankSaid(environmentVariable));
    const LastWords lastWords(metrics); // an exception that leaves train() ends the process there, at once
    if (const auto options = parseOptions(std::span(argv + 1, static_cast<std::size_t>(argc - 1))))
        train(*options, metrics);
    return 0;
}
