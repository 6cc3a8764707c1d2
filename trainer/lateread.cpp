// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/lateread.h"

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace lockstep::trainer {

void LateRead::begin(const at::Tensor& onDevice)
{
    if (onDevice.is_cpu()) {
        m_copy = onDevice;
        return;
    }
    m_copy = at::empty(onDevice.sizes(), onDevice.options().device(at::kCPU).pinned_memory(true));
    m_copy->copy_(onDevice, /*non_blocking=*/true);
    const c10::impl::VirtualGuardImpl guard(onDevice.device().type());
    if (!m_arrived)
        m_arrived.emplace(onDevice.device().type());
    m_arrived->record(guard.getStream(onDevice.device()));
}

std::optional<at::Tensor> LateRead::take()
{
    if (m_copy && m_arrived)
        m_arrived->synchronize();
    return std::exchange(m_copy, std::nullopt);
}

} // namespace lockstep::trainer
