// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/gpt.h"

#include "trainer/models/attention.h"
#include "trainer/models/heads.h"
#include "trainer/models/linear.h"
#include "trainer/models/rotary.h"

#include <torch/nn/init.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/normalization.h>

#include <cmath>
#include <span>

namespace lockstep::trainer {

namespace {

using torch::nn::Embedding;
using torch::nn::LayerNorm;

constexpr std::int64_t kWidth = 256;
constexpr std::int64_t kDepth = 6;
constexpr std::int64_t kHead = 32; // numbers a head, where --heads is not given
constexpr double kDeviation = 0.02;

struct GptShape {
    std::int64_t width = kWidth;
    std::int64_t depth = kDepth;
    std::int64_t heads = 0;
    double dropout = 0;
    Positions positions = Positions::Learned;
    Attention attention = Attention::Fused;
};

LayerNorm layerNorm(std::int64_t width)
{
    return LayerNorm(torch::nn::LayerNormOptions({width}));
}

class SelfAttention : public torch::nn::Module {
public:
    explicit SelfAttention(const GptShape& shape) : m_shape(shape)
    {
        c_attn = register_module("c_attn", Linear(shape.width, 3 * shape.width));
        c_proj = register_module("c_proj", Linear(shape.width, shape.width));
    }

    // turn: cos and sin of rotary positions, or nothing.
    at::Tensor forward(const at::Tensor& x, std::span<const at::Tensor> turn)
    {
        const auto parts = c_attn(x).split(m_shape.width, 2);
        at::Tensor q = byHead(parts[0]);
        at::Tensor k = byHead(parts[1]);
        const at::Tensor v = byHead(parts[2]);
        if (!turn.empty()) {
            q = rotated(q, turn[0], turn[1]);
            k = rotated(k, turn[0], turn[1]);
        }
        const double dropout = is_training() ? m_shape.dropout : 0;
        const at::Tensor y = attend(q, k, v, {m_shape.attention, Look::Back, dropout});
        const at::Tensor joined = y.transpose(1, 2).contiguous().view(x.sizes());
        return at::dropout(c_proj(joined), dropout, is_training());
    }

private:
    [[nodiscard]] at::Tensor byHead(const at::Tensor& x) const
    {
        return x.view({x.size(0), x.size(1), m_shape.heads, -1}).transpose(1, 2);
    }

    GptShape m_shape;
    Linear c_attn{nullptr};
    Linear c_proj{nullptr};
};

class FeedForward : public torch::nn::Module {
public:
    explicit FeedForward(const GptShape& shape) : m_dropout(shape.dropout)
    {
        c_fc = register_module("c_fc", Linear(shape.width, 4 * shape.width));
        c_proj = register_module("c_proj", Linear(4 * shape.width, shape.width));
    }

    at::Tensor forward(const at::Tensor& x) { return at::dropout(c_proj(at::gelu(c_fc(x))), m_dropout, is_training()); }

private:
    double m_dropout;
    Linear c_fc{nullptr};
    Linear c_proj{nullptr};
};

class GptBlock : public Block { // x, and with rotary positions cos and sin -> x
public:
    explicit GptBlock(const GptShape& shape)
    {
        ln_1 = register_module("ln_1", layerNorm(shape.width));
        attn = register_module("attn", std::make_shared<SelfAttention>(shape));
        ln_2 = register_module("ln_2", layerNorm(shape.width));
        mlp = register_module("mlp", std::make_shared<FeedForward>(shape));
    }

    Tensors forward(const Tensors& inputs) override
    {
        at::Tensor x = inputs.front();
        const at::Tensor attended = attn->forward(ln_1(x), std::span(inputs).subspan(1));
        x = x + attended;
        const at::Tensor fed = mlp->forward(ln_2(x));
        return {x + fed};
    }

private:
    LayerNorm ln_1{nullptr};
    std::shared_ptr<SelfAttention> attn;
    LayerNorm ln_2{nullptr};
    std::shared_ptr<FeedForward> mlp;
};

struct Transformer : torch::nn::Module {
    Transformer(const GptShape& shape, const SampleShape& sample)
    {
        wte = register_module("wte", Embedding(sample.classes, shape.width));
        if (shape.positions == Positions::Learned)
            wpe = register_module("wpe", Embedding(sample.context, shape.width));
        for (std::int64_t i = 0; i < shape.depth; ++i)
            h->push_back(std::make_shared<GptBlock>(shape));
        register_module("h", h);
        ln_f = register_module("ln_f", layerNorm(shape.width));
    }

    Embedding wte{nullptr};
    Embedding wpe{nullptr};
    torch::nn::ModuleList h;
    LayerNorm ln_f{nullptr};
};

class Gpt : public Model {
public:
    Gpt(const GptShape& shape, const SampleShape& sample) : m_shape(shape)
    {
        transformer = register_module("transformer", std::make_shared<Transformer>(shape, sample));
        lm_head = register_module("lm_head", Linear(torch::nn::LinearOptions(shape.width, sample.classes).bias(false)));
        drawWeights();
    }

    at::Tensor forward(const at::Tensor& tokens) override
    {
        const std::int64_t count = tokens.size(1);
        Tensors state{transformer->wte(tokens)};
        if (m_shape.positions == Positions::Learned)
            state[0] = state[0] + transformer->wpe(at::arange(count, tokens.options()));
        state[0] = at::dropout(state[0], m_shape.dropout, is_training());
        if (m_shape.positions == Positions::Rotary) {
            RotaryTables tables = rotaryTables(count, m_shape.width / m_shape.heads, tokens.device());
            state.insert(state.end(), {std::move(tables.cos), std::move(tables.sin)});
        }
        for (const auto& block : *transformer->h)
            state[0] = run(static_cast<Block&>(*block), state).front();
        return lm_head(transformer->ln_f(state[0]));
    }

private:
    void drawWeights()
    {
        for (const auto& module : modules(false)) {
            if (const auto* linear = module->as<torch::nn::LinearImpl>()) {
                torch::nn::init::normal_(linear->weight, 0, kDeviation);
                if (linear->bias.defined())
                    torch::nn::init::zeros_(linear->bias);
            } else if (const auto* embedding = module->as<torch::nn::EmbeddingImpl>()) {
                torch::nn::init::normal_(embedding->weight, 0, kDeviation);
            }
        }
        // GPT-2: what is added to the residual stream is smaller the more blocks add to it.
        const double deviation = kDeviation / std::sqrt(2.0 * static_cast<double>(m_shape.depth));
        for (const auto& parameter : named_parameters()) {
            if (parameter.key().ends_with("c_proj.weight"))
                torch::nn::init::normal_(parameter.value(), 0, deviation);
        }
    }

    GptShape m_shape;
    std::shared_ptr<Transformer> transformer;
    Linear lm_head{nullptr};
};

} // namespace

std::shared_ptr<Model> makeGpt(const ModelOptions& options, const SampleShape& shape)
{
    GptShape own{.dropout = options.dropout, .positions = options.positions, .attention = options.attention};
    if (options.width > 0)
        own.width = options.width;
    if (options.depth > 0)
        own.depth = options.depth;
    own.heads = headsFor(options.heads, own.width, kHead);
    if (own.positions == Positions::Rotary)
        refuseOddHead(own.width, own.heads);
    return std::make_shared<Gpt>(own, shape);
}

} // namespace lockstep::trainer
