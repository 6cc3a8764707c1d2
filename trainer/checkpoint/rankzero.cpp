// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/rankzero.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>

namespace lockstep::trainer {

namespace {

constexpr std::uint64_t kPace = 256 << 20; // about 10 s on the slowest disks
constexpr std::size_t kLongestSentence = 4096;

} // namespace

void RankZero::attempt(const std::function<void()>& work)
{
    if (m_group.rank() != 0 || m_failure)
        return;
    try {
        work();
    } catch (const Failure& failure) {
        m_failure = failure;
    } catch (const std::exception& error) {
        m_failure = Failure(ExitCode::Checkpoint, error.what());
    }
}

void RankZero::keepPace(std::uint64_t bytes)
{
    m_bytes += bytes;
    if (m_bytes < kPace)
        return;
    m_bytes = 0;
    m_group.barrier(ProcessGroup::kDiskPatience);
}

void RankZero::agree()
{
    m_group.barrier(ProcessGroup::kDiskPatience);
    at::Tensor said = at::zeros({static_cast<std::int64_t>(kLongestSentence)}, at::kByte);
    at::Tensor code = at::tensor({m_failure ? static_cast<std::int64_t>(m_failure->code()) : 0}, at::kLong);
    if (m_failure) {
        const std::string_view sentence = m_failure->what();
        std::memcpy(said.mutable_data_ptr(), sentence.data(), std::min(sentence.size(), kLongestSentence - 1));
    }
    m_group.broadcast({code});
    if (code.item<std::int64_t>() == 0)
        return;
    m_group.broadcast({said});
    m_failure.reset();
    throw Failure(static_cast<ExitCode>(code.item<std::int64_t>()), static_cast<const char*>(said.const_data_ptr()));
}

} // namespace lockstep::trainer
