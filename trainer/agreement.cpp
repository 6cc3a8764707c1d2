// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/agreement.h"

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
    const double seconds = std::chrono::duration<double>(now - m_last).count();
    const double stepSeconds = seconds / static_cast<double>(std::max<std::int64_t>(1, step - m_lastStep));
    at::Tensor asked = at::tensor({own.checkpoint ? 1.0 : 0.0, own.stop ? 1.0 : 0.0, stepSeconds}, at::kDouble);
    m_group.highest(asked);
    const double between = std::chrono::duration<double>(kBetween).count();
    const double steps = std::clamp(between / std::max(asked[2].item<double>(), 1e-9), 1.0, 1e6);
    m_lastStep = step;
    m_last = now;
    m_next = step + static_cast<std::int64_t>(steps);
    return {asked[0].item<double>() > 0, asked[1].item<double>() > 0};
}

} // namespace lockstep::trainer
