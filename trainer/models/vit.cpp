// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/vit.h"

#include "trainer/failure.h"
#include "trainer/models/attention.h"
#include "trainer/models/heads.h"
#include "trainer/models/linear.h"

#include <torch/nn/init.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/normalization.h>

namespace lockstep::trainer {

namespace {

using torch::nn::Conv2d;
using torch::nn::LayerNorm;

constexpr std::int64_t kWidth = 192;
constexpr std::int64_t kDepth = 12;
constexpr std::int64_t kHead = 64; // numbers a head, where --heads is not given
constexpr std::int64_t kLargestPatch = 16;
constexpr std::int64_t kFewestPatches = 7; // a side
constexpr double kDeviation = 0.02;        // timm cuts it at ±2, a hundred deviations, where nothing is left to cut
constexpr double kTokenDeviation = 1e-6;
constexpr double kEpsilon = 1e-6;

struct VitShape {
    std::int64_t width = kWidth;
    std::int64_t depth = kDepth;
    std::int64_t heads = 0;
    std::int64_t patch = 0;
    double dropout = 0;
    Attention attention = Attention::Fused;
};

LayerNorm layerNorm(std::int64_t width)
{
    return LayerNorm(torch::nn::LayerNormOptions({width}).eps(kEpsilon));
}

class PatchEmbedding : public torch::nn::Module {
public:
    PatchEmbedding(std::int64_t channels, const VitShape& shape)
    {
        proj = register_module(
            "proj", Conv2d(torch::nn::Conv2dOptions(channels, shape.width, shape.patch).stride(shape.patch)));
    }
    at::Tensor forward(const at::Tensor& images) { return proj(images).flatten(2).transpose(1, 2); }

private:
    Conv2d proj{nullptr};
};

class SelfAttention : public torch::nn::Module {
public:
    explicit SelfAttention(const VitShape& shape) : m_shape(shape)
    {
        qkv = register_module("qkv", Linear(shape.width, 3 * shape.width));
        proj = register_module("proj", Linear(shape.width, shape.width));
    }

    at::Tensor forward(const at::Tensor& x)
    {
        const auto parts =
            qkv(x).reshape({x.size(0), x.size(1), 3, m_shape.heads, -1}).permute({2, 0, 3, 1, 4}).unbind(0);
        const double dropout = is_training() ? m_shape.dropout : 0;
        const at::Tensor y = attend(parts[0], parts[1], parts[2], {m_shape.attention, Look::Everywhere, dropout});
        return at::dropout(proj(y.transpose(1, 2).reshape(x.sizes())), dropout, is_training());
    }

private:
    VitShape m_shape;
    Linear qkv{nullptr};
    Linear proj{nullptr};
};

class FeedForward : public torch::nn::Module {
public:
    explicit FeedForward(const VitShape& shape) : m_dropout(shape.dropout)
    {
        fc1 = register_module("fc1", Linear(shape.width, 4 * shape.width));
        fc2 = register_module("fc2", Linear(4 * shape.width, shape.width));
    }

    at::Tensor forward(const at::Tensor& x)
    {
        const at::Tensor hidden = at::dropout(at::gelu(fc1(x)), m_dropout, is_training());
        return at::dropout(fc2(hidden), m_dropout, is_training());
    }

private:
    double m_dropout;
    Linear fc1{nullptr};
    Linear fc2{nullptr};
};

class VitBlock : public Block {
public:
    explicit VitBlock(const VitShape& shape)
    {
        norm1 = register_module("norm1", layerNorm(shape.width));
        attn = register_module("attn", std::make_shared<SelfAttention>(shape));
        norm2 = register_module("norm2", layerNorm(shape.width));
        mlp = register_module("mlp", std::make_shared<FeedForward>(shape));
    }

    Tensors forward(const Tensors& inputs) override
    {
        at::Tensor x = inputs.front();
        const at::Tensor attended = attn->forward(norm1(x));
        x = x + attended;
        const at::Tensor fed = mlp->forward(norm2(x));
        return {x + fed};
    }

private:
    LayerNorm norm1{nullptr};
    std::shared_ptr<SelfAttention> attn;
    LayerNorm norm2{nullptr};
    std::shared_ptr<FeedForward> mlp;
};

class Vit : public Model {
public:
    Vit(const VitShape& shape, const SampleShape& sample) : m_shape(shape)
    {
        const std::int64_t patches = (sample.height / shape.patch) * (sample.width / shape.patch);
        cls_token = register_parameter("cls_token", at::zeros({1, 1, shape.width}));
        pos_embed = register_parameter("pos_embed", at::zeros({1, patches + 1, shape.width}));
        patch_embed = register_module("patch_embed", std::make_shared<PatchEmbedding>(sample.channels, shape));
        for (std::int64_t i = 0; i < shape.depth; ++i)
            blocks->push_back(std::make_shared<VitBlock>(shape));
        register_module("blocks", blocks);
        norm = register_module("norm", layerNorm(shape.width));
        head = register_module("head", Linear(shape.width, sample.classes));
        drawWeights();
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        at::Tensor x = patch_embed->forward(images);
        x = at::cat({cls_token.expand({x.size(0), -1, -1}), x}, 1);
        x = at::dropout(x + pos_embed, m_shape.dropout, is_training());
        for (const auto& block : *blocks)
            x = run(static_cast<Block&>(*block), x);
        return head(norm(x).select(1, 0));
    }

private:
    void drawWeights()
    {
        torch::nn::init::normal_(pos_embed, 0, kDeviation);
        torch::nn::init::normal_(cls_token, 0, kTokenDeviation);
        for (const auto& module : modules(false)) {
            if (const auto* linear = module->as<torch::nn::LinearImpl>()) {
                torch::nn::init::normal_(linear->weight, 0, kDeviation);
                torch::nn::init::zeros_(linear->bias);
            }
        }
    }

    VitShape m_shape;
    at::Tensor cls_token;
    at::Tensor pos_embed;
    std::shared_ptr<PatchEmbedding> patch_embed;
    torch::nn::ModuleList blocks;
    LayerNorm norm{nullptr};
    Linear head{nullptr};
};

std::int64_t patchFor(std::int64_t asked, const SampleShape& shape)
{
    const auto divides = [&shape](std::int64_t patch) { return shape.height % patch == 0 && shape.width % patch == 0; };
    if (asked > 0) {
        if (!divides(asked))
            throw Failure(ExitCode::Options, "--patch " + std::to_string(asked) + " does not divide images of " +
                                                 std::to_string(shape.height) + "×" + std::to_string(shape.width));
        return asked;
    }
    const std::int64_t side = std::min(shape.height, shape.width);
    std::int64_t patch = kLargestPatch;
    while (patch > 1 && !(divides(patch) && side / patch >= kFewestPatches))
        patch /= 2;
    return patch;
}

} // namespace

std::shared_ptr<Model> makeVit(const ModelOptions& options, const SampleShape& shape)
{
    VitShape own{.dropout = options.dropout, .attention = options.attention};
    if (options.width > 0)
        own.width = options.width;
    if (options.depth > 0)
        own.depth = options.depth;
    own.heads = headsFor(options.heads, own.width, kHead);
    own.patch = patchFor(options.patch, shape);
    return std::make_shared<Vit>(own, shape);
}

} // namespace lockstep::trainer
