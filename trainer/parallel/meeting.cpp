// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/meeting.h"

#include "trainer/failure.h"
#include "trainer/lostpeer.h"
#include "trainer/outofmemory.h"
#include "trainer/parallel/meetingfile.h"
#include "trainer/parallel/portprobe.h"
#include "trainer/parallel/rollcall.h"

#include <c10/util/Logging.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <future>
#include <stdexcept>
#include <thread>
#include <utility>

namespace lockstep::trainer {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kLeastToConnect{200};

class StoreBoard : public Board {
public:
    explicit StoreBoard(c10d::Store& store) : m_store(store) {}

    void write(const std::string& key, const std::string& value) override { m_store.set(key, value); }
    std::optional<std::string> read(const std::string& key) override
    {
        if (!m_store.check({key})) // get() would wait for it
            return std::nullopt;
        return m_store.get_to_str(key);
    }

private:
    c10d::Store& m_store;
};

using StorePointer = c10::intrusive_ptr<c10d::Store>;

// TCPStore's client waits without end for the answer of whoever listens there, rank 0's own too. What does not come
// back in time is left to its thread: this process is about to end.
StorePointer connected(const std::string& host, const c10d::TCPStoreOptions& options)
{
    std::packaged_task<StorePointer()> connect(
        [host, options]() -> StorePointer { return c10::make_intrusive<c10d::TCPStore>(host, options); });
    std::future<StorePointer> store = connect.get_future();
    std::thread(std::move(connect)).detach();
    if (store.wait_for(options.timeout) != std::future_status::ready)
        throw std::runtime_error("no answer");
    return store.get();
}

StorePointer tcpStore(const Placement& place, milliseconds deadline, Clock::time_point end)
{
    if (place.rank != 0 && waitForPort(place.masterAddr, place.masterPort, deadline) == PortState::Closed)
        throw Failure(ExitCode::Rendezvous, "rank 0 does not answer at " + meetingPlace(place) + " after " +
                                                std::to_string(deadline.count() / 1000) +
                                                " s: is it running, and is the port reachable from here?");
    c10d::TCPStoreOptions options;
    options.port = place.masterPort;
    options.isServer = place.rank == 0;
    options.numWorkers = static_cast<std::size_t>(place.world);
    options.waitWorkers = false; // they are counted by callRoll, which can name those that are missing
    options.timeout = deadline;
    if (place.rank == 0)
        return connected(place.masterAddr, options); // to itself too: its server may lack the memory to answer
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    options.timeout = std::max(left, kLeastToConnect);
    const int usual = std::exchange(FLAGS_caffe2_log_level, c10::GLOG_FATAL); // it would print a stack for each try
    try {
        auto store = connected(place.masterAddr, options);
        store->setTimeout(deadline);
        FLAGS_caffe2_log_level = usual;
        return store;
    } catch (const std::exception& error) {
        if (outOfMemory(error.what()))
            throw;
        throw Failure(ExitCode::Rendezvous, "what listens at " + meetingPlace(place) +
                                                " is no rank 0 of this run: does another program have that port? (" +
                                                oneLine(error.what()) + ")");
    }
}

StorePointer fileStore(const Placement& place, milliseconds deadline)
{
    constexpr int kNoCount = -1; // else the store removes the file by a count that killed ranks falsify
    checkMeetingFile(place.meetingFile);
    auto store = c10::make_intrusive<c10d::FileStore>(place.meetingFile, kNoCount);
    store->setTimeout(deadline);
    return store;
}

} // namespace

std::string meetingPlace(const Placement& place)
{
    if (!place.meetingFile.empty())
        return place.meetingFile;
    const bool bracketed = place.masterAddr.find(':') != std::string::npos;
    return (bracketed ? "[" + place.masterAddr + "]" : place.masterAddr) + ":" + std::to_string(place.masterPort);
}

c10::intrusive_ptr<c10d::Store> meet(const Placement& place, milliseconds deadline)
{
    if (place.world == 1)
        return c10::make_intrusive<c10d::HashStore>(); // alone: no port is opened, no file made
    const std::string where = meetingPlace(place);
    const Caller caller{place.rank, place.world, where};
    try {
        const StorePointer store =
            place.meetingFile.empty() ? tcpStore(place, deadline, caller.came + deadline) : fileStore(place, deadline);
        StoreBoard board(*store);
        const std::string run = callRoll(board, caller, deadline);
        return c10::make_intrusive<c10d::PrefixStore>("lockstep/" + run, store);
    } catch (const Failure&) {
        throw;
    } catch (const std::exception& error) {
        if (const auto sentence = outOfMemory(error.what()))
            throw Failure(ExitCode::OutOfMemory, *sentence);
        if (speaksOfLostPeer(error.what()))
            throw Failure(ExitCode::LostPeer, "rank 0 left " + where + " before all ranks had met: " + error.what());
        throw Failure(ExitCode::Rendezvous, "the ranks cannot meet at " + where + ": " + error.what());
    }
}

} // namespace lockstep::trainer
