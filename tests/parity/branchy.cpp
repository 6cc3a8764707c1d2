// SPDX-License-Identifier: GPL-3.0-or-later
// A network for tests of unused parameters: `sometimes` has a part in every second forward, and on rank 0 alone;
// `never` has none.
#include "trainer/models/linear.h"
#include "trainer/models/model.h"

#include <cstdlib>
#include <string_view>

namespace {

using lockstep::trainer::Linear;

class Branchy : public lockstep::trainer::Model {
public:
    Branchy(const lockstep::trainer::ModelOptions&, const lockstep::trainer::SampleShape& shape)
    {
        m_first = register_module("first", Linear(shape.inputs(), 16));
        m_always = register_module("always", Linear(16, shape.classes));
        m_sometimes = register_module("sometimes", Linear(16, shape.classes));
        m_never = register_module("never", Linear(16, shape.classes));
        const char* rank = std::getenv("RANK");
        m_rankZero = rank == nullptr || std::string_view(rank) == "0";
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        const at::Tensor x = at::relu(m_first(images.flatten(1)));
        const at::Tensor scores = m_always(x);
        return m_forwards++ % 2 == 0 && m_rankZero ? scores + m_sometimes(x) : scores;
    }

private:
    Linear m_first{nullptr};
    Linear m_always{nullptr};
    Linear m_sometimes{nullptr};
    Linear m_never{nullptr};
    bool m_rankZero = false;
    int m_forwards = 0;
};

} // namespace

LOCKSTEP_MODEL(Branchy)
