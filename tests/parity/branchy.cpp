// SPDX-License-Identifier: GPL-3.0-or-later
// Networks for tests of unused and of shared parameters; --depth 1 chooses the second.
#include "trainer/models/linear.h"
#include "trainer/models/model.h"

#include <cstdlib>
#include <string_view>

namespace {

using lockstep::trainer::Linear;
using lockstep::trainer::ModelOptions;
using lockstep::trainer::SampleShape;

// `dark` or `bright` has a part as the batch wants it, `sometimes` in every second forward and on rank 0 alone, `never`
// in none.
class Branchy : public lockstep::trainer::Model {
public:
    Branchy(const ModelOptions&, const SampleShape& shape)
    {
        m_first = register_module("first", Linear(shape.inputs(), 16));
        m_always = register_module("always", Linear(16, shape.classes));
        m_sometimes = register_module("sometimes", Linear(16, shape.classes));
        m_never = register_module("never", Linear(16, shape.classes));
        m_dark = register_module("dark", Linear(16, 16));
        m_bright = register_module("bright", Linear(16, 16));
        const char* rank = std::getenv("RANK");
        m_rankZero = rank == nullptr || std::string_view(rank) == "0";
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        at::Tensor x = at::relu(m_first(images.flatten(1)));
        x = at::relu(images[0].mean().item<double>() > 0 ? m_bright(x) : m_dark(x));
        const at::Tensor scores = m_always(x);
        return m_forwards++ % 2 == 0 && m_rankZero ? scores + m_sometimes(x) : scores;
    }

private:
    Linear m_first{nullptr};
    Linear m_always{nullptr};
    Linear m_sometimes{nullptr};
    Linear m_never{nullptr};
    Linear m_dark{nullptr};
    Linear m_bright{nullptr};
    bool m_rankZero = false;
    int m_forwards = 0;
};

class Tied : public lockstep::trainer::Model { // one weight under two names
public:
    explicit Tied(const SampleShape& shape)
    {
        m_first = register_module("first", Linear(shape.inputs(), 16));
        m_middle = register_module("middle", Linear(16, 16));
        m_last = register_module("last", Linear(16, shape.classes));
        m_shared = register_parameter("shared", m_middle->weight);
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        const at::Tensor x = at::relu(m_middle(at::relu(m_first(images.flatten(1)))));
        return m_last(at::relu(at::linear(x, m_shared)));
    }

private:
    Linear m_first{nullptr};
    Linear m_middle{nullptr};
    Linear m_last{nullptr};
    at::Tensor m_shared;
};

} // namespace

extern "C" __attribute__((visibility("default"))) const lockstep::trainer::ModelEntry* lockstepModel()
{
    using namespace lockstep::trainer;
    static const ModelEntry entry{kModelAbi, TORCH_VERSION,
                                  [](const ModelOptions& options, const SampleShape& shape) -> std::shared_ptr<Model> {
                                      if (options.depth == 1)
                                          return std::make_shared<Tied>(shape);
                                      return std::make_shared<Branchy>(options, shape);
                                  }};
    return &entry;
}
