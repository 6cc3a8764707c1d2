// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/gloobackend.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace lockstep::trainer {

c10::intrusive_ptr<c10d::Backend> makeGloo(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world,
                                           const GlooBinding& binding, std::chrono::milliseconds timeout)
{
    using Gloo = c10d::ProcessGroupGloo;
    auto options = Gloo::Options::create(timeout);
    options->devices.push_back(binding.interface.empty() ? Gloo::createDeviceForHostname(binding.address)
                                                         : Gloo::createDeviceForInterface(binding.interface));
    options->threads = 2; // as torch.distributed: one device, two
    return c10::make_intrusive<Gloo>(store, rank, world, options);
}

std::size_t sizeOfProcessGroupGloo()
{
    return sizeof(c10d::ProcessGroupGloo);
}

} // namespace lockstep::trainer
