// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/gradients.h"

namespace lockstep::trainer {

Gradients::Gradients(const Options& options, Strategy& strategy, GradScaler& scaler, std::vector<std::string> names)
    : m_options(options), m_strategy(strategy), m_scaler(scaler), m_names(std::move(names))
{
}

bool Gradients::finish(std::int64_t)
{
    return true;
}

std::vector<std::string> Gradients::withoutGradient()
{
    return std::exchange(m_without, {});
}

} // namespace lockstep::trainer
