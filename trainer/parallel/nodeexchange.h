// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives themselves, on the pages that the ranks of a node share. Each returns when this rank's part is done;
// all ranks call the same ones in the same order, from one thread each.
#pragma once

#include "trainer/parallel/nodepages.h"

#include <ATen/core/Tensor.h>

namespace lockstep::trainer {

class NodeExchange {
public:
    NodeExchange(NodePages& pages, int rank, int world) : m_pages(pages), m_rank(rank), m_world(world) {}

    struct Patience {
        std::chrono::steady_clock::time_point deadline;
        const std::atomic<bool>& stop;
    };

    // Contiguous CPU tensors, equal on all ranks in type and size.
    void sum(const at::Tensor& tensor, const Patience& patience);                          // in place
    void gather(const at::Tensor& own, const at::Tensor& whole, const Patience& patience); // whole: world x own
    void scatterSum(const at::Tensor& whole, const at::Tensor& own, const Patience& patience);

    // Whether sums of this type are Gloo's to the last bit.
    [[nodiscard]] static bool sums(at::ScalarType type);

private:
    struct Range { // bytes of a tensor
        std::size_t start;
        std::size_t length;
    };
    [[nodiscard]] std::byte* part(int rank, int of) const; // where `rank` shows what `of` adds up
    [[nodiscard]] std::size_t partBytes() const;
    // Into `to`: every rank's part for this one, and `own`.
    void addUp(std::byte* to, const std::byte* own, std::size_t length, at::ScalarType type) const;

    NodePages& m_pages;
    int m_rank;
    int m_world;
};

} // namespace lockstep::trainer
