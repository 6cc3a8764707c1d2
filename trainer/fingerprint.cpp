// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/fingerprint.h"

#include "trainer/failure.h"

#include <ATen/ATen.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <span>

namespace lockstep::trainer {

namespace {

constexpr std::uint64_t kFnvOffset = 0xcbf29ce484222325;
constexpr std::uint64_t kFnvPrime = 0x100000001b3;

void dump(Strategy& strategy, const std::vector<at::Tensor>& parts, const std::string& path)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    strategy.gather(parts, [&file](std::size_t, const at::Tensor& whole) {
        const at::Tensor plain = whole.to(at::kCPU).contiguous();
        file.write(static_cast<const char*>(plain.const_data_ptr()), static_cast<std::streamsize>(plain.nbytes()));
    });
    file.close();
    if (!file)
        throw Failure(ExitCode::Unexpected, "cannot write " + path);
}

} // namespace

std::string fingerprint(Strategy& strategy)
{
    std::uint64_t hash = kFnvOffset;
    strategy.gather(strategy.parameters(), [&hash](std::size_t, const at::Tensor& whole) {
        const at::Tensor plain = whole.to(at::kCPU).contiguous();
        for (const std::uint8_t byte :
             std::span(static_cast<const std::uint8_t*>(plain.const_data_ptr()), plain.nbytes()))
            hash = (hash ^ byte) * kFnvPrime;
    });
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
    return text.data();
}

void dumpParameters(Strategy& strategy, const std::string& path)
{
    dump(strategy, strategy.parameters(), path);
}

void dumpGradients(Strategy& strategy, const std::string& path)
{
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& parameter : strategy.parameters())
        gradients.push_back(parameter.grad().defined() ? parameter.grad() : at::zeros_like(parameter));
    dump(strategy, gradients, path);
}

} // namespace lockstep::trainer
