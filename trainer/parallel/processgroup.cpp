// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/processgroup.h"

#include "trainer/cuda/cudaapi.h"
#include "trainer/failure.h"
#include "trainer/lostpeer.h"
#include "trainer/outofmemory.h"
#include "trainer/parallel/gloobackend.h"
#include "trainer/parallel/meeting.h"
#include "trainer/parallel/nodebackend.h"
#include "trainer/parallel/portprobe.h"
#include "trainer/parallel/processgrouphandle.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include <filesystem>
#include <latch>
#include <thread>

namespace lockstep::trainer {

namespace {

using Backend = c10d::ProcessGroup::BackendType;
using std::chrono::milliseconds;

constexpr std::size_t kBroadcastBytes = std::size_t{250} << 20; // as torch.nn.parallel
constexpr char kSomewhere[] = "192.0.2.1"; // RFC 5737, for documentation: only its route is asked for
constexpr std::uint16_t kSomePort = 9;
constexpr int kThreads = 4; // Gloo's device, its two workers, and the one that exchanges on a node

// Throws where there is no place for the threads to come. (glibc keeps the stacks of these for them.) Gloo's
// constructor must not meet that: when it gets its first worker but not its second, it waits without end for the first.
void makeRoomForThreads()
{
    std::latch allHere(1);
    std::vector<std::jthread> threads;
    const auto join = [&] {
        allHere.count_down();
        threads.clear();
    };
    try {
        for (int i = 0; i < kThreads; ++i)
            threads.emplace_back([&allHere] { allHere.wait(); });
    } catch (...) {
        join();
        throw;
    }
    join();
}

// Never the host's own name, which /etc/hosts often gives 127.0.1.1.
GlooBinding bindingFor(const Placement& place)
{
    if (const auto interface = environmentVariable("GLOO_SOCKET_IFNAME");
        interface && !interface->empty() && place.world > 1)
        return {*interface, {}};
    if (place.world == place.localWorld)
        return {{}, "127.0.0.1"}; // nobody comes from another node
    if (!place.meetingFile.empty()) {
        const std::string address = localAddressTowards(kSomewhere, kSomePort);
        return {{}, address.empty() ? "127.0.0.1" : address};
    }
    const std::string address = localAddressTowards(place.masterAddr, place.masterPort);
    if (address.empty())
        throw Failure(ExitCode::Rendezvous, "no route from this node to " + meetingPlace(place));
    return {{}, address};
}

} // namespace

ProcessGroup::ProcessGroup(const Placement& place, const Options& options, const Device& device)
    : m_place(place), m_handle(std::make_unique<Handle>())
{
    m_handle->store = meet(place, options.rendezvousTimeout());
    const auto& root = m_handle->store;
    const auto part = [&root](const char* name) { return c10::make_intrusive<c10d::PrefixStore>(name, root); };
    const milliseconds timeout = options.timeout();

    auto& group = m_handle->group;
    group = c10::make_intrusive<c10d::ProcessGroup>(part("group"), place.rank, place.world);
    try {
        makeRoomForThreads();
        const auto gloo = makeGloo(part("gloo"), place.rank, place.world, bindingFor(place), timeout);
        NodeBackend onNode;
        if (place.world > 1 && place.world == place.localWorld && device.tensors.is_cpu())
            onNode = shareMemory(gloo, timeout);
        m_handle->sharesMemory = onNode.backend != nullptr;
        m_exchange = m_handle->sharesMemory ? "shared memory" : onNode.why.empty() ? "gloo" : "gloo: " + onNode.why;
        // Under a name of its own: c10d's logger takes what calls itself Gloo for the class.
        const Backend kind = onNode.backend ? Backend::CUSTOM : Backend::GLOO;
        group->setBackend(c10::DeviceType::CPU, kind, onNode.backend ? onNode.backend : gloo);
        group->setDefaultBackend(kind);
        if (device.tensors.is_cuda() && device.backend == BackendUsed::Gloo) {
            group->setBackend(c10::DeviceType::CUDA, Backend::GLOO, gloo);
        } else if (device.tensors.is_cuda()) {
            const auto nccl =
                device.cuda->makeNccl(part("nccl"), place.rank, place.world, device.tensors.index(), timeout);
            group->setBackend(c10::DeviceType::CUDA, Backend::NCCL, nccl);
            group->setDefaultBackend(Backend::NCCL);
            m_exchange = "nccl";
        }
    } catch (const Failure&) {
        throw;
    } catch (const std::exception& error) {
        if (const auto sentence = outOfMemory(error.what()))
            throw Failure(ExitCode::OutOfMemory, *sentence);
        if (speaksOfLostPeer(error.what()))
            throw Failure(ExitCode::LostPeer,
                          std::string("another rank ended before all were connected: ") + error.what());
        throw Failure(ExitCode::Rendezvous,
                      std::string("the ranks found one another, but cannot connect: ") + error.what());
    }
    group->setGroupName("lockstep");
}

ProcessGroup::~ProcessGroup()
{
    std::error_code ignored; // the next run is not confused by what is left in it
    if (m_place.rank == 0 && !m_place.meetingFile.empty())
        std::filesystem::remove(m_place.meetingFile, ignored);
}

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
    if (tensors.empty()) // which c10d does not allow
        return;
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
