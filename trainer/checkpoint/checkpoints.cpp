// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/checkpoints.h"

namespace lockstep::trainer {

Checkpoints::Checkpoints(const Options& options, ProcessGroup& group, Report& report)
    : m_options(options), m_group(group), m_report(report)
{
}

void Checkpoints::restore(TrainingState& state)
{
    if (!m_options.resume.empty())
        loadCheckpoint(m_options.resume, state);
}

bool Checkpoints::dueAfterStep(std::int64_t) const
{
    return false;
}

bool Checkpoints::dueAfterEpoch(std::int64_t) const
{
    return !m_options.checkpoint.empty();
}

bool Checkpoints::wanted() const
{
    return false;
}

void Checkpoints::save(const TrainingState& state, std::optional<double>)
{
    if (m_options.checkpoint.empty() || m_savedAt == state.progress.step)
        return;
    m_savedAt = state.progress.step;
    const std::string path = m_options.checkpoint;
    saveCheckpoint(path, state);
    m_report.checkpoint(path, state.progress.step);
}

} // namespace lockstep::trainer
