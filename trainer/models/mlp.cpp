// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/mlp.h"

#include "trainer/models/linear.h"

#include <algorithm>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kWidth = 256;
constexpr std::int64_t kDepth = 2;

class Mlp : public Model {
public:
    Mlp(const ModelOptions& options, const SampleShape& shape) : m_dropout(options.dropout)
    {
        const std::int64_t width = options.width > 0 ? options.width : kWidth;
        const std::int64_t depth = options.depth > 0 ? options.depth : kDepth;
        std::int64_t in = shape.inputs();
        for (std::int64_t i = 1; i <= depth; ++i) {
            const std::int64_t out = i > 1 && i == depth ? std::max<std::int64_t>(1, width / 2) : width;
            add(in, out);
            in = out;
        }
        add(in, shape.classes);
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        at::Tensor x = images.flatten(1);
        for (std::size_t i = 0; i + 1 < m_layers.size(); ++i)
            x = at::dropout(at::relu(m_layers[i](x)), m_dropout, is_training());
        return m_layers.back()(x);
    }

private:
    void add(std::int64_t in, std::int64_t out)
    {
        m_layers.push_back(register_module("fc" + std::to_string(m_layers.size() + 1), Linear(in, out)));
    }

    double m_dropout;
    std::vector<Linear> m_layers;
};

} // namespace

std::shared_ptr<Model> makeMlp(const ModelOptions& options, const SampleShape& shape)
{
    return std::make_shared<Mlp>(options, shape);
}

} // namespace lockstep::trainer
