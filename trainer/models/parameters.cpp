// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/parameters.h"

#include <unordered_set>

namespace lockstep::trainer {

std::vector<std::pair<std::string, at::Tensor>> distinctParameters(const torch::nn::Module& module)
{
    std::unordered_set<const void*> seen;
    std::vector<std::pair<std::string, at::Tensor>> found;
    for (const auto& item : module.named_parameters()) {
        if (seen.insert(item.value().unsafeGetTensorImpl()).second)
            found.emplace_back(item.key(), item.value());
    }
    return found;
}

} // namespace lockstep::trainer
