// SPDX-License-Identifier: GPL-3.0-or-later
// Networks that make sharding hard, for --model library; --depth chooses among them.
#include "trainer/models/model.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include <cstdlib>
#include <stdexcept>

namespace {

using lockstep::trainer::Block;
using lockstep::trainer::Tensors;
using torch::nn::Linear;

enum class Case : std::int64_t {
    UsedTwice = 1, // one block, before and after another
    Outputs,       // a block of two inputs and outputs, one of them passed on as it is
    Unused,        // a block with a parameter that has no part in the loss
    UnusedOnARank, // the same, but rank 0's loss has it
    Frozen,        // weights that need no gradient, in a block and outside
    Tied,          // two names of one weight
    OtherOrder,    // the blocks swap places in the third forward
    NeverRun,      // a block that no forward runs
    OwnCheckpoint, // a block computed again inside backward by the model itself
    TiedApart,     // two names of one weight, in two blocks
    OfOneRank,     // the second block is rank 0's alone
};

class Cell : public Block {
public:
    explicit Cell(std::int64_t width)
    {
        in = register_module("in", Linear(width, width + 3)); // its shard ends within a parameter
        norm = register_module("norm", torch::nn::BatchNorm1d(width + 3));
        out = register_module("out", Linear(width + 3, width));
    }

    Tensors forward(const Tensors& inputs) override
    {
        const at::Tensor y = inputs[0] + out(at::relu(norm(in(inputs[0]))));
        return inputs.size() == 1 ? Tensors{y} : Tensors{y, inputs[1]};
    }

    Linear in{nullptr};
    torch::nn::BatchNorm1d norm{nullptr};
    Linear out{nullptr};
};

class Pair : public Block {
public:
    explicit Pair(std::int64_t width)
    {
        left = register_module("left", Linear(width, width));
        right = register_module("right", Linear(width, width));
    }

    Tensors forward(const Tensors& inputs) override
    {
        const at::Tensor x = inputs[0] + at::tanh(left(inputs[1]));
        return {x, inputs[1] + at::tanh(right(x))};
    }

    Linear left{nullptr};
    Linear right{nullptr};
};

class Optional : public Block { // with a second weight that is used or not
public:
    Optional(std::int64_t width, Case kind) : m_kind(kind)
    {
        main = register_module("main", Linear(width, width));
        side = register_module("side", Linear(width, width));
    }

    Tensors forward(const Tensors& inputs) override
    {
        const at::Tensor y = at::tanh(main(inputs[0]));
        const char* rank = std::getenv("RANK");
        const bool here = m_kind == Case::UnusedOnARank && rank != nullptr && std::string(rank) == "0";
        return {here ? y + side(y) : y};
    }

    Linear main{nullptr};
    Linear side{nullptr};

private:
    Case m_kind;
};

bool isRankZero()
{
    const char* rank = std::getenv("RANK");
    return rank != nullptr && std::string(rank) == "0";
}

class Borrower : public Block { // of another block's weight
public:
    explicit Borrower(const at::Tensor& weight) { shared = register_parameter("shared", weight); }

    Tensors forward(const Tensors& inputs) override
    {
        return {at::tanh(inputs[0] + at::linear(inputs[0], shared).mean())};
    }

    at::Tensor shared;
};

class Tied : public Block {
public:
    explicit Tied(at::Tensor weight)
    {
        in = register_parameter("in", weight);
        out = register_parameter("out", weight);
    }

    Tensors forward(const Tensors& inputs) override { return {at::linear(at::tanh(at::linear(inputs[0], in)), out)}; }

    at::Tensor in;
    at::Tensor out;
};

// What it saves of its block's forward is nothing but the input; the block runs again in backward, through the runner.
struct Again : torch::autograd::Function<Again> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                              std::function<at::Tensor(const at::Tensor&)>* block)
    {
        context->save_for_backward({x});
        context->saved_data["block"] = reinterpret_cast<std::int64_t>(block);
        return (*block)(x);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradients)
    {
        auto* block =
            reinterpret_cast<std::function<at::Tensor(const at::Tensor&)>*>(context->saved_data["block"].toInt());
        const at::AutoGradMode on(true);
        const at::Tensor x = context->get_saved_variables()[0].detach().requires_grad_();
        const at::Tensor y = (*block)(x);
        y.backward(gradients[0]);
        return {x.grad(), at::Tensor()};
    }
};

class ShardModel : public lockstep::trainer::Model {
public:
    ShardModel(const lockstep::trainer::ModelOptions& options, const lockstep::trainer::SampleShape& shape)
        : m_kind(static_cast<Case>(options.depth))
    {
        const std::int64_t width = options.width > 0 ? options.width : 20;
        m_stem = register_module("stem", Linear(shape.inputs(), width));
        add("first", std::make_shared<Cell>(width));
        switch (m_kind) {
        case Case::UsedTwice:
        case Case::OtherOrder:
        case Case::NeverRun:
        case Case::OwnCheckpoint:
            add("second", std::make_shared<Cell>(width));
            break;
        case Case::Outputs:
            add("second", std::make_shared<Pair>(width));
            break;
        case Case::Unused:
        case Case::UnusedOnARank:
            add("second", std::make_shared<Optional>(width, m_kind));
            break;
        case Case::OfOneRank:
            add("second", std::make_shared<Cell>(width));
            break;
        case Case::TiedApart:
            add("second", std::make_shared<Borrower>(m_blocks[0]->as<Cell>()->in->weight));
            break;
        case Case::Frozen:
            m_stem->bias.set_requires_grad(false);
            m_blocks[0]->as<Cell>()->in->weight.set_requires_grad(false);
            break;
        case Case::Tied:
            add("second", std::make_shared<Tied>(at::randn({width, width}) * 0.1));
            break;
        default:
            throw std::invalid_argument("--depth names no case");
        }
        m_head = register_module("head", Linear(width, shape.classes));
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        at::Tensor x = m_stem(images.flatten(1));
        if (m_kind == Case::Outputs) {
            const Tensors once = run(*m_blocks[0], Tensors{x, at::relu(x)});
            const Tensors both = run(*m_blocks[1], once);
            return m_head(both[0] * both[1]);
        }
        if (m_kind == Case::OwnCheckpoint) {
            m_again = [this](const at::Tensor& y) { return run(*m_blocks[1], y); };
            return m_head(Again::apply(run(*m_blocks[0], x), &m_again));
        }
        const bool swapped = m_kind == Case::OtherOrder && ++m_forwards == 3;
        if (swapped)
            x = run(*m_blocks[1], x);
        x = run(*m_blocks[0], x);
        for (std::size_t i = 1; i < m_blocks.size() && !m_leavesOut && !swapped; ++i)
            x = run(*m_blocks[i], x);
        if (m_kind == Case::UsedTwice)
            x = run(*m_blocks[0], x);
        return m_head(x);
    }

private:
    void add(const std::string& name, std::shared_ptr<Block> block)
    {
        m_blocks.push_back(register_module(name, std::move(block)));
    }

    Case m_kind;
    bool m_leavesOut = m_kind == Case::NeverRun || (m_kind == Case::OfOneRank && !isRankZero());
    int m_forwards = 0;
    Linear m_stem{nullptr};
    std::vector<std::shared_ptr<Block>> m_blocks;
    Linear m_head{nullptr};
    std::function<at::Tensor(const at::Tensor&)> m_again;
};

} // namespace

LOCKSTEP_MODEL(ShardModel)
