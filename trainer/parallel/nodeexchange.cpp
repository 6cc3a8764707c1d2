// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/nodeexchange.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstring>

namespace lockstep::trainer {

namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kGlooSegmentBytes = std::size_t{1} << 20; // gloo's kMaxSegmentSize

// The bytes of a tensor that one rank sums up in Gloo's ring, the last ranks' may be fewer or none: rank r has those
// from r * this on. Which rank sums up decides the order of the terms, and so the bits.
std::size_t glooShare(std::size_t total, std::size_t element, std::size_t world)
{
    const std::size_t longest = element * std::max<std::size_t>(1, kGlooSegmentBytes / element);
    const std::size_t wanted = std::max((total + longest - 1) / longest, world * 2);
    const std::size_t perRank = (wanted + world - 1) / world;
    const std::size_t segments = perRank * world;
    const std::size_t segment = ((total + segments - 1) / segments + element - 1) / element * element;
    return perRank * segment;
}

std::byte* bytesOf(const at::Tensor& tensor)
{
    return static_cast<std::byte*>(tensor.data_ptr());
}

std::size_t sizeOf(const at::Tensor& tensor)
{
    return static_cast<std::size_t>(tensor.numel()) * tensor.element_size();
}

at::Tensor view(const std::byte* start, std::int64_t elements, at::ScalarType type)
{
    return at::from_blob(const_cast<std::byte*>(start), {elements}, at::TensorOptions(type));
}

} // namespace

bool NodeExchange::sums(at::ScalarType type)
{
    return type == at::kFloat || type == at::kDouble || type == at::kInt || type == at::kLong;
}

std::size_t NodeExchange::partBytes() const
{
    return m_pages.slotBytes() / static_cast<std::size_t>(m_world) / kCacheLine * kCacheLine;
}

std::byte* NodeExchange::part(int rank, int of) const
{
    return m_pages.slot(rank) + static_cast<std::size_t>(of) * partBytes();
}

// The terms come in the order of Gloo's ring: a share begins at the rank before its own and goes round downwards.
// In pieces so short that ATen takes no second thread for them.
void NodeExchange::addUp(std::byte* to, const std::byte* own, std::size_t length, at::ScalarType type) const
{
    const auto element = static_cast<std::int64_t>(c10::elementSize(type));
    const std::int64_t all = static_cast<std::int64_t>(length) / element;
    for (std::int64_t from = 0; from < all; from += at::internal::GRAIN_SIZE) {
        const std::int64_t count = std::min(all - from, at::internal::GRAIN_SIZE);
        const std::int64_t offset = from * element;
        const auto term = [&](int distance) {
            const int rank = (m_rank - distance + m_world) % m_world;
            return view(rank == m_rank ? own + offset : part(rank, m_rank) + offset, count, type);
        };
        at::Tensor sum = view(to + offset, count, type);
        at::add_out(sum, term(2), term(1)); // of two ranks, two before it is the rank itself
        for (int distance = 3; distance <= m_world; ++distance)
            sum.add_(term(distance));
    }
}

void NodeExchange::sum(const at::Tensor& tensor, const Patience& patience)
{
    const at::NoGradGuard noGrad;
    const std::size_t total = sizeOf(tensor);
    const std::size_t share = glooShare(total, tensor.element_size(), static_cast<std::size_t>(m_world));
    std::byte* const start = bytesOf(tensor);
    for (std::size_t done = 0; done < share; done += partBytes()) {
        const auto piece = [&](int of) {
            const std::size_t from = std::min(static_cast<std::size_t>(of) * share + done, total);
            const std::size_t end = std::min((static_cast<std::size_t>(of) + 1) * share, total);
            return Range{from, from < end ? std::min(partBytes(), end - from) : 0};
        };
        for (int of = 0; of < m_world; ++of)
            if (of != m_rank)
                std::memcpy(part(m_rank, of), start + piece(of).start, piece(of).length);
        m_pages.meet(patience.deadline, patience.stop);
        const Range own = piece(m_rank);
        std::byte* const sums = m_pages.sums();
        addUp(sums + static_cast<std::size_t>(m_rank) * partBytes(), start + own.start, own.length,
              tensor.scalar_type());
        m_pages.meet(patience.deadline, patience.stop);
        for (int of = 0; of < m_world; ++of)
            std::memcpy(start + piece(of).start, sums + static_cast<std::size_t>(of) * partBytes(), piece(of).length);
    }
}

void NodeExchange::gather(const at::Tensor& own, const at::Tensor& whole, const Patience& patience)
{
    const std::size_t total = sizeOf(own);
    for (std::size_t done = 0; done < total; done += m_pages.slotBytes()) {
        const std::size_t length = std::min(m_pages.slotBytes(), total - done);
        std::memcpy(m_pages.slot(m_rank), bytesOf(own) + done, length);
        m_pages.meet(patience.deadline, patience.stop);
        for (int rank = 0; rank < m_world; ++rank)
            std::memcpy(bytesOf(whole) + static_cast<std::size_t>(rank) * total + done, m_pages.slot(rank), length);
        m_pages.meet(patience.deadline, patience.stop); // then the slots may be written again
    }
}

void NodeExchange::scatterSum(const at::Tensor& whole, const at::Tensor& own, const Patience& patience)
{
    const at::NoGradGuard noGrad;
    const std::size_t total = sizeOf(own);
    const auto at = [&](int rank) { return bytesOf(whole) + static_cast<std::size_t>(rank) * total; };
    for (std::size_t done = 0; done < total; done += partBytes()) {
        const std::size_t length = std::min(partBytes(), total - done);
        for (int of = 0; of < m_world; ++of)
            if (of != m_rank)
                std::memcpy(part(m_rank, of), at(of) + done, length);
        m_pages.meet(patience.deadline, patience.stop);
        addUp(bytesOf(own) + done, at(m_rank) + done, length, own.scalar_type());
        m_pages.meet(patience.deadline, patience.stop);
    }
}

} // namespace lockstep::trainer
