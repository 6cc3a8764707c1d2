// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/agreement.h"

#include "trainer/stoprequest.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace lockstep::trainer {

Agreement::Agreement(ProcessGroup& group) : m_group(group) {}

Wishes Agreement::after(std::int64_t step, const Wishes& own)
{
    if (step < m_next)
        return {};
    using std::chrono::steady_clock;
    const auto now = steady_clock::now();
    const std::int64_t steps = step - m_lastStep;
    const double ownSeconds =
        m_lastStep < 0 ? 0 : std::chrono::duration<double>(now - m_last).count() / static_cast<double>(steps);
    at::Tensor asked = at::tensor({own.checkpoint ? 1.0 : 0.0, own.stop ? 1.0 : 0.0, ownSeconds}, at::kDouble);
    m_group.highest(asked);

    // All ranks compute the same from here on. The first interval is one step, and none is more than twice the one
    // before: a few quick steps do not make slow ones wait.
    const double stepSeconds = asked[2].item<double>();
    StopRequest::stepsTake(stepSeconds);
    const double between = std::chrono::duration<double>(kBetween).count();
    const auto longest = m_lastStep < 0 ? std::int64_t{1} : 2 * steps;
    const double fitting = stepSeconds > 0 ? between / stepSeconds : static_cast<double>(longest);
    m_next =
        step + std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(fitting, static_cast<double>(longest))));
    m_lastStep = step;
    m_last = now;
    return {asked[0].item<double>() > 0, asked[1].item<double>() > 0};
}

} // namespace lockstep::trainer
