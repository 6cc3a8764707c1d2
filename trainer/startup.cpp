// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/startup.h"

#include "trainer/failure.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <malloc.h>

#include <algorithm>
#include <thread>

namespace lockstep::trainer {

namespace {

// By default glibc gives every big block back and faults its pages in again a step later: 20 to 28 % of a convolutional
// net's time on a CPU.
constexpr int kKeepBlocksBelow = 1 << 30;
constexpr int kGrowBy = 64 << 20;

std::int64_t parameterCount(const Model& model)
{
    std::int64_t count = 0;
    for (const at::Tensor& parameter : model.parameters())
        count += parameter.numel();
    return count;
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

void seedEverything(const Options& options)
{
    at::manual_seed(static_cast<std::uint64_t>(options.seed));
}

std::chrono::milliseconds asMilliseconds(double seconds)
{
    return std::chrono::milliseconds(static_cast<std::chrono::milliseconds::rep>(seconds * 1000));
}

ImageShape shapeOf(const Dataset& data)
{
    return {data.channels(), data.height(), data.width(), data.classes()};
}

std::int64_t planSteps(const Options& options, std::int64_t stepsPerEpoch)
{
    if (stepsPerEpoch == 0)
        throw Failure(ExitCode::Data, "a rank's share of the data does not fill one batch of " +
                                          std::to_string(options.batch) + ", and --drop-last leaves the rest out");
    const std::int64_t all = options.epochs * stepsPerEpoch;
    return options.steps > 0 ? std::min(options.steps, all) : all;
}

Facts runFacts(const Options& options, const Placement& place, const Device& device, const Dataset& data,
               const Model& model, std::int64_t stepsPerEpoch, std::int64_t totalSteps)
{
    return {{"model", std::string(toString(options.model))},
            {"parameters", parameterCount(model)},
            {"world", std::int64_t{place.world}},
            {"total_steps", totalSteps},
            {"steps_per_epoch", stepsPerEpoch},
            {"epochs", options.epochs},
            {"batch", options.batch},
            {"backend", std::string(toString(device.backend))},
            {"device", device.tensors.str()},
            {"threads", std::int64_t{at::get_num_threads()}},
            {"data", std::string(toString(options.data))},
            {"samples", data.count()},
            {"seed", options.seed},
            {"optimizer", std::string(toString(options.optimizer))},
            {"lr", options.learningRate()},
            {"libtorch", std::string(TORCH_VERSION)}};
}

std::string runLine(const Options& options, const Placement& place, const Device& device, const Model& model)
{
    return std::string(toString(options.model)) + ", " + std::to_string(parameterCount(model)) + " parameters, " +
           std::to_string(place.world) + (place.world == 1 ? " rank" : " ranks") + " × batch " +
           std::to_string(options.batch) + " on " + device.tensors.str() + ", " + toString(device.backend) + ", " +
           toString(options.data) + ", " + toString(options.optimizer);
}

void EpochMean::add(double loss, std::int64_t samples)
{
    m_loss += loss * static_cast<double>(samples);
    m_samples += static_cast<double>(samples);
}

EpochResult EpochMean::over(ProcessGroup& group) const
{
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    at::Tensor sums = at::tensor({m_loss, m_samples}, at::kDouble);
    group.sum(sums);
    EpochResult result;
    result.trainLoss = sums[0].item<double>() / sums[1].item<double>();
    result.samplesPerS = sums[1].item<double>() / seconds;
    return result;
}

} // namespace lockstep::trainer
