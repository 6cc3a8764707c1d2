// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/startup.h"

#include "trainer/data/batchworkers.h"
#include "trainer/failure.h"
#include "trainer/models/parameters.h"
#include "trainer/numbertext.h"
#include "trainer/splitmix.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace lockstep::trainer {

namespace {

// By default glibc gives every big block back and faults its pages in again a step later: 20 to 28 % of a convolutional
// net's time on a CPU.
constexpr int kKeepBlocksBelow = 1 << 30;
constexpr int kGrowBy = 64 << 20;

std::int64_t parameterCount(const torch::nn::Module& module)
{
    std::int64_t count = 0;
    for (const auto& [name, parameter] : distinctParameters(module))
        count += parameter.numel();
    return count;
}

Facts modelSummary(const Model& model)
{
    std::int64_t trainable = 0;
    std::int64_t buffers = 0;
    std::int64_t bytes = 0;
    for (const auto& [name, parameter] : distinctParameters(model)) {
        trainable += parameter.requires_grad() ? parameter.numel() : 0;
        bytes += static_cast<std::int64_t>(parameter.nbytes());
    }
    for (const at::Tensor& buffer : model.buffers()) {
        buffers += buffer.numel();
        bytes += static_cast<std::int64_t>(buffer.nbytes());
    }
    std::string modules; // conv1=320 conv2=18496 ...
    for (const auto& child : model.named_children())
        modules += (modules.empty() ? "" : " ") + child.key() + "=" + std::to_string(parameterCount(*child.value()));
    return {{"parameters", parameterCount(model)},
            {"parameters_trained", trainable},
            {"buffers", buffers},
            {"model_bytes", bytes},
            {"modules", modules}};
}

} // namespace

void tuneAllocator()
{
    mallopt(M_MMAP_THRESHOLD, kKeepBlocksBelow);
    mallopt(M_TRIM_THRESHOLD, kKeepBlocksBelow);
    mallopt(M_TOP_PAD, kGrowBy);
    mallopt(M_ARENA_MAX, 1);
}

void setThreads(const Options& options, const Placement& place)
{
    if (options.threads > 0)
        at::set_num_threads(static_cast<int>(options.threads));
    else if (!environmentVariable("OMP_NUM_THREADS"))
        at::set_num_threads(std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / place.localWorld));
}

void seedWeights(const Options& options)
{
    at::manual_seed(static_cast<std::uint64_t>(options.seed));
}

void seedStep(const Options& options, int rank, std::int64_t step)
{
    at::manual_seed(splitmix(static_cast<std::uint64_t>(options.seed) * kSplitmixStep +
                             (static_cast<std::uint64_t>(rank) << 40) + static_cast<std::uint64_t>(step) + 1));
}

SamplerOptions samplerOptions(const Options& options, const Placement& place)
{
    Remainder remainder = options.uneven == Uneven::Join ? Remainder::Join : Remainder::Pad;
    if (options.dropLast == Switch::Yes)
        remainder = Remainder::Drop;
    return {place.world, place.rank, options.shuffle == Switch::Yes ? Order::Shuffled : Order::AsStored, remainder,
            options.seed};
}

LoaderOptions loaderOptions(const Options& options, const Placement& place, const Device& device)
{
    return {options.batch, options.dropLast == Switch::Yes ? Remainder::Drop : Remainder::Pad,
            workersFor(options.workers, place.localWorld), options.prefetch, device.tensors};
}

std::vector<std::string> trainableNames(const Model& model)
{
    std::vector<std::string> names;
    for (const auto& [name, parameter] : distinctParameters(model)) {
        if (parameter.requires_grad())
            names.push_back(name);
    }
    return names;
}

Steps planSteps(const Options& options, std::int64_t batchesPerEpoch)
{
    if (batchesPerEpoch == 0)
        throw Failure(ExitCode::Data, "a rank's share of the data does not fill one batch of " +
                                          std::to_string(options.batch) + ", and --drop-last leaves the rest out");
    const std::int64_t perEpoch = (batchesPerEpoch + options.accumulate - 1) / options.accumulate;
    const std::int64_t all = options.epochs * perEpoch;
    return {perEpoch, options.steps > 0 ? std::min(options.steps, all) : all};
}

Steps planSteps(const Options& options, const Steps& whole, Progress& progress, const Loader& loader,
                const DistributedSampler& sampler)
{
    std::int64_t batches = loader.batchesOf(sampler.perRank(progress.takenOfEpoch));
    if (batches == 0) {
        ++progress.epoch;
        progress.takenOfEpoch = 0;
        batches = loader.batchesOf(sampler.perRank());
    }
    std::int64_t all = progress.step;
    if (progress.epoch < options.epochs)
        all += (batches + options.accumulate - 1) / options.accumulate +
               (options.epochs - progress.epoch - 1) * whole.perEpoch;
    return {whole.perEpoch, options.steps > 0 ? std::min(options.steps, all) : all};
}

namespace {

Facts runFacts(const Options& options, const Placement& place, const Device& device, const DataSplit& data,
               const Model& model, const Steps& steps)
{
    Facts facts{{"model", valueOf(options, "model")},
                {"world", std::int64_t{place.world}},
                {"total_steps", steps.total},
                {"steps_per_epoch", steps.perEpoch},
                {"epochs", options.epochs},
                {"batch", options.batch},
                {"backend", std::string(toString(device.backend))},
                {"device", device.tensors.str()},
                {"threads", std::int64_t{at::get_num_threads()}},
                {"data", valueOf(options, "data")},
                {"samples", data.train->count()},
                {"test_samples", data.test ? data.test->count() : 0},
                {"seed", options.seed},
                {"optimizer", valueOf(options, "optimizer")},
                {"lr", options.learningRate()},
                {"libtorch", std::string(TORCH_VERSION)}};
    for (const Facts& more : {modelSummary(model), device.facts(place)})
        facts.insert(facts.end(), more.begin(), more.end());
    facts.emplace_back("configuration", configuration(options));
    return facts;
}

std::string runLine(const Options& options, const Placement& place, const Device& device, const Model& model)
{
    return valueOf(options, "model") + ", " + std::to_string(parameterCount(model)) + " parameters, " +
           std::to_string(place.world) + (place.world == 1 ? " rank" : " ranks") + " × batch " +
           std::to_string(options.batch) + " on " + device.tensors.str() + ", " + toString(device.backend) + ", " +
           valueOf(options, "data") + ", " + valueOf(options, "optimizer");
}

} // namespace

void reportStart(Report& report, const Options& options, const Placement& place, const Device& device,
                 const DataSplit& data, const Model& model, const Steps& steps, const Progress& progress)
{
    report.info(runFacts(options, place, device, data, model, steps));
    report.line(runLine(options, place, device, model));
    if (!data.test && options.evaluateEvery > 0)
        report.line("there is nothing to test on beside " + options.dataPath +
                    ": no test loss is measured, and no best checkpoint kept");
    if (!options.resume.empty() && progress.step >= steps.total)
        report.line("nothing is left to train after step " + std::to_string(progress.step) +
                    ": more --epochs or --steps would go on");
}

double passesOf(const Progress& progress, std::int64_t samplesPerEpoch)
{
    return static_cast<double>(progress.epoch) +
           static_cast<double>(progress.takenOfEpoch) / static_cast<double>(samplesPerEpoch);
}

at::Tensor shareOf(const at::Tensor& loss, std::int64_t samples, std::int64_t samplesOfStep, int world)
{
    if (samples == 0)
        return loss * 0.0;
    if (samples * world == samplesOfStep)
        return loss;
    return loss /
           (static_cast<double>(samplesOfStep) / static_cast<double>(samples * world)); // exact for equal forwards
}

bool counts(const Options& options, const StepResult& step)
{
    if (std::isfinite(step.loss))
        return true;
    if (options.onNan == OnNan::Stop)
        throw Failure(ExitCode::NanLoss, "the loss is " + numberText(step.loss) + " at step " +
                                             std::to_string(step.step) + "; a smaller --lr may help");
    return options.onNan == OnNan::GoOn;
}

} // namespace lockstep::trainer
