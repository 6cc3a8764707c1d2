// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/checkpoints.h"

#include "trainer/failure.h"
#include "trainer/saverequest.h"
#include "trainer/stoprequest.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <filesystem>
#include <limits>

namespace lockstep::trainer {

namespace {

// Of what this rank has of them.
bool areFinite(const std::vector<at::Tensor>& parameters)
{
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> some; // a shard may have nothing of one
    std::ranges::copy_if(parameters, std::back_inserter(some), [](const at::Tensor& one) { return one.numel() > 0; });
    if (some.empty())
        return true;
    const std::vector<at::Tensor> highest = at::_foreach_norm(some, std::numeric_limits<double>::infinity());
    return at::stack(highest).isfinite().all().item<bool>();
}

} // namespace

Checkpoints::Checkpoints(const Options& options, ProcessGroup& group, Report& report)
    : m_options(options), m_group(group), m_report(report), m_folder(options.checkpoint, options.keepLast)
{
}

void Checkpoints::begin(TrainingState& state)
{
    RankZero zero(m_group);
    std::unique_ptr<SavedState> saved;
    zero.attempt([&] {
        if (enabled())
            m_folder.make();
        saved = openGood(state);
        if (enabled())
            takeFolder(saved.get());
    });
    at::Tensor found = at::tensor({saved ? 1.0 : 0.0}, at::kDouble);
    zero.agree();
    m_group.broadcast({found});
    if (found.item<double>() == 0)
        return;
    restoreCheckpoint(saved.get(), state);
    if (!saved)
        return;
    m_report.line("goes on from " + saved->path() + ", after step " + std::to_string(state.progress.step));
    m_report.info({{"resumed", saved->path()}, {"resumed_step", state.progress.step}});
    if (!m_options.weights.empty())
        m_report.line("the weights are the checkpoint's; --weights counted for a first attempt only");
}

// Checkpoints of another run in the folder would be mixed with this one's, and --resume would take the wrong ones.
void Checkpoints::takeFolder(const SavedState* saved)
{
    const auto there = m_folder.list();
    std::error_code error;
    if (saved != nullptr &&
        std::filesystem::equivalent(std::filesystem::absolute(saved->path()).parent_path(), m_folder.path(), error)) {
        m_folder.takeOver(saved->progress().step);
        return;
    }
    if (!there.empty())
        throw Failure(ExitCode::Checkpoint, m_folder.path() + " has checkpoints of another run, up to step " +
                                                std::to_string(there.back().step) + "; --resume " + m_folder.path() +
                                                " goes on from them, else choose another folder for --checkpoint");
}

std::vector<std::string> Checkpoints::candidates() const
{
    std::error_code error;
    const CheckpointFolder folder(m_options.resume, 0);
    if (!std::filesystem::is_directory(m_options.resume, error) && folder.path() != m_folder.path())
        return {m_options.resume};
    std::vector<std::string> paths;
    for (const CheckpointName& name : folder.list())
        paths.push_back(name.path);
    std::ranges::reverse(paths);
    if (paths.empty() && folder.path() != m_folder.path())
        throw Failure(ExitCode::Checkpoint, "cannot resume from " + folder.path() + ": it has no checkpoint");
    return paths;
}

// nullptr: this run begins at its beginning. That is so with --resume too where it is the folder that this run writes
// into and nothing is there yet: the same command then serves the first attempt and all later ones.
std::unique_ptr<SavedState> Checkpoints::openGood(const TrainingState& state) const
{
    if (m_options.resume.empty())
        return nullptr;
    const std::vector<std::string> paths = candidates();
    std::optional<Failure> first;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        try {
            return std::make_unique<SavedState>(paths[i], state);
        } catch (const Failure& failure) {
            if (m_options.resumeOlder == Switch::No)
                throw Failure(failure.code(),
                              std::string(failure.what()) + (i + 1 < paths.size()
                                                                 ? "; --resume-older yes would try " + paths[i + 1]
                                                                 : std::string()));
            m_report.line(std::string(failure.what()) + "; an older one is tried");
            if (!first)
                first = failure;
        }
    }
    if (first)
        throw Failure(first->code(), std::string(first->what()) + "; and no older one is good");
    m_report.line(m_options.resume + " has no checkpoint yet: this run begins at step 0");
    return nullptr;
}

bool Checkpoints::dueAfterStep(std::int64_t step) const
{
    return enabled() && m_options.checkpointSteps > 0 && step % m_options.checkpointSteps == 0;
}

bool Checkpoints::dueAfterEpoch(std::int64_t epoch) const
{
    return enabled() && m_options.checkpointEpochs > 0 && epoch % m_options.checkpointEpochs == 0;
}

bool Checkpoints::wanted()
{
    if (!enabled()) {
        if (SaveRequest::made())
            m_report.warning("SIGUSR1 asks for a checkpoint, but there is no --checkpoint FOLDER to write it into");
        SaveRequest::clear();
        return false;
    }
    const std::chrono::duration<double, std::ratio<60>> minutes = std::chrono::steady_clock::now() - m_last;
    return SaveRequest::made() || (m_options.checkpointMinutes > 0 && minutes.count() >= m_options.checkpointMinutes);
}

void Checkpoints::save(const TrainingState& state, std::optional<double> testLoss)
{
    if (!enabled())
        return;
    const StopRequest::Hold hold;
    SaveRequest::clear();
    const double bestBefore = state.progress.bestLoss;
    const bool best = testLoss && *testLoss < bestBefore;
    if (best)
        state.progress.bestLoss = *testLoss;
    if (m_saved == state.progress)
        return;
    try {
        write(state, best && m_options.keepBest == Switch::Yes);
        m_saved = state.progress;
        m_failure.clear();
    } catch (const Failure& failure) {
        if (failure.code() == ExitCode::NanLoss)
            throw;
        state.progress.bestLoss = bestBefore; // a later one may be the best that there is
        m_failure = failure.what();
        m_report.noCheckpoint(state.progress.step, m_failure);
    }
    m_last = std::chrono::steady_clock::now();
}

void Checkpoints::write(const TrainingState& state, bool best)
{
    const auto begin = std::chrono::steady_clock::now();
    const std::int64_t step = state.progress.step;
    const std::string path = m_folder.fileOf(step);
    RankZero zero(m_group);
    zero.agree(); // all are here: none has ended because this step's loss is not finite
    refuseNotFinite(state);
    const std::uint64_t bytes = saveCheckpoint(path, state, zero);
    zero.attempt([&] {
        if (best)
            m_folder.setBest(step);
        m_folder.wasWritten(step);
    });
    zero.agree();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (m_group.rank() == 0)
        m_report.checkpoint(
            {std::filesystem::absolute(path).string(), step, seconds.count(), static_cast<std::int64_t>(bytes)});
}

// A step with a good loss may have led to parameters that are not; a file of them would push older, good ones out.
void Checkpoints::refuseNotFinite(const TrainingState& state)
{
    if (m_options.onNan == OnNan::GoOn)
        return;
    at::Tensor bad = at::tensor({areFinite(state.strategy.parameters()) ? 0.0 : 1.0}, at::kDouble);
    m_group.highest(bad);
    if (bad.item<double>() > 0)
        throw Failure(ExitCode::NanLoss, "the parameters are not finite after step " +
                                             std::to_string(state.progress.step) +
                                             ": no checkpoint is made of them; a smaller --lr may help");
}

void Checkpoints::conclude() const
{
    if (!m_failure.empty())
        throw Failure(ExitCode::Checkpoint, "the last checkpoint could not be written: " + m_failure);
}

} // namespace lockstep::trainer
