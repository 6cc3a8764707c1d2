// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/checkpointedrunner.h"

#include "trainer/failure.h"
#include "trainer/models/randomstate.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <optional>
#include <utility>

namespace lockstep::trainer {

namespace {

using torch::autograd::SavedVariableHooks;

struct Enough {}; // thrown out of a second forward when all that was saved in the first one is there

// The autocast of a device, to be entered again.
class AutocastState {
public:
    explicit AutocastState(at::DeviceType device)
        : m_device(device), m_enabled(at::autocast::is_autocast_enabled(device)),
          m_type(at::autocast::get_autocast_dtype(device))
    {
    }

    void set() const
    {
        at::autocast::set_autocast_enabled(m_device, m_enabled);
        at::autocast::set_autocast_dtype(m_device, m_type);
    }
    [[nodiscard]] at::DeviceType device() const { return m_device; }

private:
    at::DeviceType m_device;
    bool m_enabled;
    at::ScalarType m_type;
};

class AutocastAgain { // its cache of narrowed weights ends with it
public:
    explicit AutocastAgain(const AutocastState& wanted) : m_before(wanted.device())
    {
        wanted.set();
        at::autocast::increment_nesting();
    }
    ~AutocastAgain()
    {
        if (at::autocast::decrement_nesting() == 0)
            at::autocast::clear_cache();
        m_before.set();
    }
    AutocastAgain(const AutocastAgain&) = delete;
    AutocastAgain& operator=(const AutocastAgain&) = delete;

private:
    AutocastState m_before;
};

// A block's buffers (running means), which a second forward must not move a second time.
class BuffersKept {
public:
    explicit BuffersKept(const Block& block) : m_buffers(block.buffers())
    {
        for (const at::Tensor& buffer : m_buffers)
            m_values.push_back(buffer.detach().clone());
    }
    ~BuffersKept()
    {
        const at::NoGradGuard noGrad;
        for (std::size_t i = 0; i < m_buffers.size(); ++i) // without a new version: the graph may have saved them
            m_buffers[i].variable_data().copy_(m_values[i]);
    }
    BuffersKept(const BuffersKept&) = delete;
    BuffersKept& operator=(const BuffersKept&) = delete;

private:
    Tensors m_buffers;
    Tensors m_values;
};

at::Device deviceOf(const Tensors& inputs)
{
    return inputs.empty() ? at::Device(at::kCPU) : inputs.front().device();
}

// One forward of a block: what is needed to compute it again, and what that then gives. Backward of one graph runs a
// device's nodes on one thread, and a block is on one device, so nothing here is locked.
class Recording {
public:
    Recording(Block& block, const Tensors& inputs)
        : m_block(block), m_random(RandomState::now(deviceOf(inputs))), m_autocast(deviceOf(inputs).type())
    {
        for (const at::Tensor& input : inputs)
            m_inputs.push_back(input.detach().requires_grad_(input.requires_grad()));
    }

    std::size_t addPlace() { return m_places++; }

    at::Tensor take(std::size_t place)
    {
        if (!m_again)
            computeAgain();
        return m_saved.at(place);
    }

    void forget(std::size_t place) // its node is done
    {
        if (place < m_saved.size())
            m_saved[place].reset();
    }

    void keep(const at::Tensor& tensor)
    {
        m_saved.push_back(tensor.detach());
        if (m_saved.size() == m_places)
            throw Enough();
    }

private:
    void computeAgain();

    Block& m_block;
    Tensors m_inputs;
    RandomState m_random;
    AutocastState m_autocast;
    std::size_t m_places = 0; // that the first forward's graph has for saved tensors
    bool m_again = false;
    Tensors m_saved; // by the second forward
};

// What a saved tensor's place in a graph does with it.
class Place : public SavedVariableHooks { // of a first forward: nothing is kept
public:
    explicit Place(std::shared_ptr<Recording> recording)
        : m_recording(std::move(recording)), m_place(m_recording->addPlace())
    {
    }
    ~Place() override { m_recording->forget(m_place); }
    void call_pack_hook(const at::Tensor&) override {}
    at::Tensor call_unpack_hook() override { return m_recording->take(m_place); }

private:
    std::shared_ptr<Recording> m_recording;
    std::size_t m_place;
};

class PlaceAgain : public SavedVariableHooks { // of a second one, whose graph is thrown away
public:
    explicit PlaceAgain(Recording& recording) : m_recording(recording) {}
    void call_pack_hook(const at::Tensor& tensor) override { m_recording.keep(tensor); }
    at::Tensor call_unpack_hook() override { return {}; }

private:
    Recording& m_recording;
};

// What this thread's forward is: ordinary when both are empty.
thread_local std::shared_ptr<Recording> first;
thread_local Recording* second = nullptr;

class FirstForward {
public:
    explicit FirstForward(std::shared_ptr<Recording> recording) : m_before(std::exchange(first, std::move(recording)))
    {
    }
    ~FirstForward() { first = std::move(m_before); }
    FirstForward(const FirstForward&) = delete;
    FirstForward& operator=(const FirstForward&) = delete;

private:
    std::shared_ptr<Recording> m_before;
};

class SecondForward {
public:
    explicit SecondForward(Recording& recording) : m_before(std::exchange(second, &recording)) {}
    ~SecondForward() { second = m_before; }
    SecondForward(const SecondForward&) = delete;
    SecondForward& operator=(const SecondForward&) = delete;

private:
    Recording* m_before;
};

// LibTorch's own engine but for the question what a graph shall do with the tensors that it saves; Python's engine
// answers it the same way for its saved-tensor hooks.
class Engine : public torch::autograd::Engine {
public:
    std::unique_ptr<SavedVariableHooks> get_default_saved_variable_hooks() override
    {
        if (second != nullptr)
            return std::make_unique<PlaceAgain>(*second);
        if (first)
            return std::make_unique<Place>(first);
        return nullptr;
    }
};

torch::autograd::Engine& engine()
{
    static Engine& only = *new Engine; // never destroyed: its threads outlive main
    return only;
}

void Recording::computeAgain()
{
    m_again = true;
    const RandomState now = RandomState::now(deviceOf(m_inputs));
    {
        const at::AutoGradMode grad(true);
        const AutocastAgain autocast(m_autocast);
        const BuffersKept buffers(m_block);
        const SecondForward scope(*this);
        m_random.restore();
        try {
            (void)m_block.forward(m_inputs);
        } catch (const Enough&) { // NOLINT(bugprone-empty-catch): all that backward needs has been saved
        }
    }
    now.restore();
    m_inputs.clear();
    if (m_saved.size() != m_places)
        throw Failure(ExitCode::Unexpected, "--activation-checkpointing yes: " + m_block.name() +
                                                " computed again saved " + std::to_string(m_saved.size()) +
                                                " tensors for backward, at first " + std::to_string(m_places) +
                                                "; its forward must do the same each time it is given the same inputs");
}

} // namespace

CheckpointedRunner::CheckpointedRunner()
{
    torch::autograd::set_default_engine_stub(engine);
}

Tensors CheckpointedRunner::run(Block& block, const Tensors& inputs)
{
    if (!at::GradMode::is_enabled())
        return block.forward(inputs);
    const FirstForward scope(std::make_shared<Recording>(block, inputs));
    return block.forward(inputs);
}

} // namespace lockstep::trainer
