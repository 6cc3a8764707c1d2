// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/processgroup.h"

#include "trainer/cuda/cudaapi.h"
#include "trainer/failure.h"
#include "trainer/parallel/gloobackend.h"
#include "trainer/parallel/portprobe.h"
#include "trainer/parallel/processgrouphandle.h"

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>

namespace lockstep::trainer {

namespace {

using Backend = c10d::ProcessGroup::BackendType;
using std::chrono::milliseconds;

constexpr std::size_t kBroadcastBytes = std::size_t{250} << 20; // as torch.nn.parallel
constexpr milliseconds kBetweenLooks{20};
constexpr int kMostNamed = 16; // missing ranks in the message

milliseconds asMs(double seconds)
{
    return milliseconds(static_cast<milliseconds::rep>(seconds * 1000));
}

std::string where(const Placement& place)
{
    return place.masterAddr + ":" + std::to_string(place.masterPort);
}

c10::intrusive_ptr<c10d::Store> reachStore(const Placement& place, milliseconds deadline)
{
    if (place.rank != 0 && waitForPort(place.masterAddr, place.masterPort, deadline) == PortState::Closed)
        throw Failure(ExitCode::Rendezvous, "rank 0 does not answer at " + where(place) + " after " +
                                                std::to_string(deadline.count() / 1000) +
                                                " s: is it running, and is the port reachable from here?");
    c10d::TCPStoreOptions options;
    options.port = place.masterPort;
    options.isServer = place.rank == 0;
    options.numWorkers = static_cast<std::size_t>(place.world);
    options.waitWorkers = false; // ranks are counted below, where the missing ones can be named
    options.timeout = deadline;
    try {
        return c10::make_intrusive<c10d::TCPStore>(place.masterAddr, options);
    } catch (const std::exception& error) {
        throw Failure(ExitCode::Rendezvous, "no store at " + where(place) + ": " + error.what());
    }
}

std::string keyOf(int rank)
{
    return "lockstep/here/" + std::to_string(rank);
}

void awaitAll(c10d::Store& store, const Placement& place, milliseconds deadline)
{
    store.set(keyOf(place.rank), std::string("1"));
    const auto end = std::chrono::steady_clock::now() + deadline;
    int next = 0; // ranks below are here
    while (next < place.world) {
        const milliseconds left = std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
        if (store.check({keyOf(next)})) {
            ++next;
            continue;
        }
        if (left.count() > 0) {
            try {
                store.wait({keyOf(next)}, std::max(left, kBetweenLooks));
            } catch (const c10::Error&) {
                continue; // the deadline; the check above decides
            }
            continue;
        }
        std::string missing;
        int count = 0;
        for (int rank = next; rank < place.world; ++rank) {
            if (store.check({keyOf(rank)}))
                continue;
            if (count++ < kMostNamed)
                missing += (missing.empty() ? "" : ", ") + std::to_string(rank);
        }
        throw Failure(ExitCode::Rendezvous, std::to_string(count) + " of " + std::to_string(place.world) +
                                                " ranks did not come to " + where(place) + " within " +
                                                std::to_string(deadline.count() / 1000) + " s: missing " + missing +
                                                (count > kMostNamed ? ", ..." : ""));
    }
}

GlooBinding bindingFor(const Placement& place)
{
    if (place.world == 1)
        return {{}, "127.0.0.1"}; // nobody connects
    if (const auto interface = environmentVariable("GLOO_SOCKET_IFNAME"); interface && !interface->empty())
        return {*interface, {}};
    const std::string address = localAddressTowards(place.masterAddr, place.masterPort);
    if (address.empty())
        throw Failure(ExitCode::Rendezvous, "no route from this node to " + where(place));
    return {{}, address};
}

} // namespace

ProcessGroup::ProcessGroup(const Placement& place, const Options& options, const Device& device)
    : m_place(place), m_handle(std::make_unique<Handle>())
{
    const milliseconds deadline = asMs(options.rendezvousTimeoutS);
    if (place.world == 1) {
        m_handle->store = c10::make_intrusive<c10d::HashStore>(); // alone: no port is opened
    } else {
        m_handle->store = reachStore(place, deadline);
        awaitAll(*m_handle->store, place, deadline);
    }
    const auto root = c10::make_intrusive<c10d::PrefixStore>("lockstep", m_handle->store);
    const auto part = [&root](const char* name) { return c10::make_intrusive<c10d::PrefixStore>(name, root); };
    const milliseconds timeout = asMs(options.timeoutS);

    auto& group = m_handle->group;
    group = c10::make_intrusive<c10d::ProcessGroup>(part("group"), place.rank, place.world);
    try {
        const auto gloo = makeGloo(part("gloo"), place.rank, place.world, bindingFor(place), timeout);
        group->setBackend(c10::DeviceType::CPU, Backend::GLOO, gloo);
        group->setDefaultBackend(Backend::GLOO);
        if (device.tensors.is_cuda() && device.backend == BackendUsed::Gloo) {
            group->setBackend(c10::DeviceType::CUDA, Backend::GLOO, gloo);
        } else if (device.tensors.is_cuda()) {
            const auto nccl =
                device.cuda->makeNccl(part("nccl"), place.rank, place.world, device.tensors.index(), timeout);
            group->setBackend(c10::DeviceType::CUDA, Backend::NCCL, nccl);
            group->setDefaultBackend(Backend::NCCL);
        }
    } catch (const Failure&) {
        throw;
    } catch (const std::exception& error) {
        throw Failure(ExitCode::Rendezvous,
                      std::string("the ranks found one another, but cannot connect: ") + error.what());
    }
    group->setGroupName("lockstep");
}

ProcessGroup::~ProcessGroup() = default;

void ProcessGroup::sum(at::Tensor& tensor)
{
    std::vector<at::Tensor> tensors{tensor};
    m_handle->group->allreduce(tensors)->wait();
}

void ProcessGroup::highest(at::Tensor& tensor)
{
    std::vector<at::Tensor> tensors{tensor};
    c10d::AllreduceOptions options;
    options.reduceOp = c10d::ReduceOp::MAX;
    m_handle->group->allreduce(tensors, options)->wait();
}

std::vector<at::Tensor> ProcessGroup::allGather(const at::Tensor& tensor)
{
    std::vector<std::vector<at::Tensor>> gathered(1);
    for (int rank = 0; rank < world(); ++rank)
        gathered[0].push_back(at::empty_like(tensor));
    std::vector<at::Tensor> own{tensor};
    m_handle->group->allgather(gathered, own)->wait();
    return gathered[0];
}

void ProcessGroup::broadcast(const std::vector<at::Tensor>& tensors)
{
    c10d::broadcast_coalesced(m_handle->group, tensors, kBroadcastBytes, 0);
}

void ProcessGroup::barrier(std::chrono::milliseconds patience)
{
    std::vector<at::Tensor> nothing{at::zeros({1})};
    c10d::AllreduceOptions options;
    options.timeout = patience;
    m_handle->group->allreduce(nothing, options)->wait();
}

} // namespace lockstep::trainer
