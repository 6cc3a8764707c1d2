// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/resnet.h"

#include "trainer/models/batchnorm.h"
#include "trainer/models/linear.h"

#include <torch/nn/init.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/conv.h>

#include <algorithm>
#include <array>

namespace lockstep::trainer {

namespace {

using torch::nn::Conv2d;

constexpr std::int64_t kSmallImage = 32; // pixels a side
constexpr std::int64_t kWidth = 64;
constexpr int kStages = 4;

Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1)
{
    return Conv2d(torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

struct BlockShape {
    std::int64_t in = 0;
    std::int64_t width = 0;
    std::int64_t stride = 1;
};

// What makes the shortcut as wide as the block: Python's Sequential of two, hence the names.
class Downsample : public torch::nn::Module {
public:
    Downsample(std::int64_t in, std::int64_t out, std::int64_t stride)
    {
        m_conv = register_module("0", convolution(in, out, 1, stride));
        m_norm = register_module("1", BatchNorm(out));
    }
    at::Tensor forward(const at::Tensor& x) { return m_norm(m_conv(x)); }

private:
    Conv2d m_conv{nullptr};
    BatchNorm m_norm{nullptr};
};

class Residual : public Block {
public:
    Tensors forward(const Tensors& inputs) final
    {
        const at::Tensor& x = inputs.front();
        at::Tensor y = residual(x);
        y += m_downsample ? m_downsample->forward(x) : x;
        return {at::relu_(y)};
    }

protected:
    [[nodiscard]] virtual at::Tensor residual(const at::Tensor& x) = 0;
    void setDownsample(std::shared_ptr<Downsample> downsample)
    {
        if (downsample)
            m_downsample = register_module("downsample", std::move(downsample));
    }

private:
    std::shared_ptr<Downsample> m_downsample;
};

class BasicBlock : public Residual {
public:
    static constexpr std::int64_t kExpansion = 1;

    BasicBlock(const BlockShape& shape, std::shared_ptr<Downsample> downsample)
    {
        conv1 = register_module("conv1", convolution(shape.in, shape.width, 3, shape.stride));
        bn1 = register_module("bn1", BatchNorm(shape.width));
        conv2 = register_module("conv2", convolution(shape.width, shape.width, 3));
        bn2 = register_module("bn2", BatchNorm(shape.width));
        setDownsample(std::move(downsample));
    }

private:
    at::Tensor residual(const at::Tensor& x) override
    {
        at::Tensor y = bn1(conv1(x));
        at::relu_(y);
        return bn2(conv2(y));
    }

    Conv2d conv1{nullptr};
    BatchNorm bn1{nullptr};
    Conv2d conv2{nullptr};
    BatchNorm bn2{nullptr};
};

class Bottleneck : public Residual {
public:
    static constexpr std::int64_t kExpansion = 4;

    Bottleneck(const BlockShape& shape, std::shared_ptr<Downsample> downsample)
    {
        conv1 = register_module("conv1", convolution(shape.in, shape.width, 1));
        bn1 = register_module("bn1", BatchNorm(shape.width));
        conv2 = register_module("conv2", convolution(shape.width, shape.width, 3, shape.stride));
        bn2 = register_module("bn2", BatchNorm(shape.width));
        conv3 = register_module("conv3", convolution(shape.width, shape.width * kExpansion, 1));
        bn3 = register_module("bn3", BatchNorm(shape.width * kExpansion));
        setDownsample(std::move(downsample));
    }

private:
    at::Tensor residual(const at::Tensor& x) override
    {
        at::Tensor y = bn1(conv1(x));
        at::relu_(y);
        y = bn2(conv2(y));
        at::relu_(y);
        return bn3(conv3(y));
    }

    Conv2d conv1{nullptr};
    BatchNorm bn1{nullptr};
    Conv2d conv2{nullptr};
    BatchNorm bn2{nullptr};
    Conv2d conv3{nullptr};
    BatchNorm bn3{nullptr};
};

using StageDepths = std::array<std::int64_t, kStages>;

template <class BlockType>
class Resnet : public Model {
public:
    Resnet(const SampleShape& shape, std::int64_t width, const StageDepths& depths)
        : m_small(std::max(shape.height, shape.width) <= kSmallImage), m_channels(width)
    {
        conv1 = register_module("conv1", m_small ? convolution(shape.channels, width, 3)
                                                 : convolution(shape.channels, width, 7, 2));
        bn1 = register_module("bn1", BatchNorm(width));
        for (int i = 0; i < kStages; ++i) {
            const std::string name = "layer" + std::to_string(i + 1);
            m_stages.push_back(register_module(name, stage(width << i, depths[static_cast<std::size_t>(i)], i)));
        }
        fc = register_module("fc", Linear(m_channels, shape.classes));
        for (const auto& module : modules(false)) { // a second draw, as torchvision's
            if (const auto* conv = module->template as<torch::nn::Conv2dImpl>())
                torch::nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
        }
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        at::Tensor x = bn1(conv1(images));
        at::relu_(x);
        if (!m_small)
            x = at::max_pool2d(x, 3, 2, 1);
        for (const auto& blocks : m_stages) {
            for (const auto& block : *blocks)
                x = run(static_cast<Block&>(*block), x);
        }
        return fc(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
    }

private:
    torch::nn::ModuleList stage(std::int64_t width, std::int64_t depth, int index)
    {
        torch::nn::ModuleList blocks;
        const std::int64_t out = width * BlockType::kExpansion;
        for (std::int64_t i = 0; i < depth; ++i) {
            const std::int64_t stride = i == 0 && index > 0 ? 2 : 1;
            std::shared_ptr<Downsample> downsample; // made before the block: its weights are drawn first
            if (stride != 1 || m_channels != out)
                downsample = std::make_shared<Downsample>(m_channels, out, stride);
            blocks->push_back(std::make_shared<BlockType>(BlockShape{m_channels, width, stride}, downsample));
            m_channels = out;
        }
        return blocks;
    }

    bool m_small;
    std::int64_t m_channels; // of what the next block gets
    Conv2d conv1{nullptr};
    BatchNorm bn1{nullptr};
    std::vector<torch::nn::ModuleList> m_stages;
    Linear fc{nullptr};
};

template <class BlockType>
std::shared_ptr<Model> make(const ModelOptions& options, const SampleShape& shape, StageDepths depths)
{
    if (options.depth > 0)
        depths.fill(options.depth);
    return std::make_shared<Resnet<BlockType>>(shape, options.width > 0 ? options.width : kWidth, depths);
}

} // namespace

std::shared_ptr<Model> makeResnet18(const ModelOptions& options, const SampleShape& shape)
{
    return make<BasicBlock>(options, shape, {2, 2, 2, 2});
}

std::shared_ptr<Model> makeResnet50(const ModelOptions& options, const SampleShape& shape)
{
    return make<Bottleneck>(options, shape, {3, 4, 6, 3});
}

} // namespace lockstep::trainer
