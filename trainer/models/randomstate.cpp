// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/randomstate.h"

#include <ATen/Context.h>

#include <mutex>

namespace lockstep::trainer {

namespace {

at::Tensor stateOf(at::Device device)
{
    at::Generator generator = at::globalContext().defaultGenerator(device);
    const std::scoped_lock lock(generator.mutex());
    return generator.get_state();
}

void setState(at::Device device, const at::Tensor& state)
{
    at::Generator generator = at::globalContext().defaultGenerator(device);
    const std::scoped_lock lock(generator.mutex());
    generator.set_state(state);
}

} // namespace

RandomState RandomState::now(at::Device device)
{
    RandomState state;
    state.m_device = device;
    state.m_cpu = stateOf(at::kCPU);
    if (!device.is_cpu())
        state.m_own = stateOf(device);
    return state;
}

bool RandomState::operator==(const RandomState& other) const
{
    return m_cpu.equal(other.m_cpu) && m_own.defined() == other.m_own.defined() &&
           (!m_own.defined() || m_own.equal(other.m_own));
}

void RandomState::restore() const
{
    setState(at::kCPU, m_cpu);
    if (m_own.defined())
        setState(m_device, m_own);
}

} // namespace lockstep::trainer
