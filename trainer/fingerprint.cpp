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

} // namespace

std::string fingerprint(const std::vector<at::Tensor>& tensors)
{
    std::uint64_t hash = kFnvOffset;
    for (const at::Tensor& tensor : tensors) {
        const at::Tensor plain = tensor.detach().to(at::kCPU).contiguous();
        for (const std::uint8_t byte :
             std::span(static_cast<const std::uint8_t*>(plain.const_data_ptr()), plain.nbytes()))
            hash = (hash ^ byte) * kFnvPrime;
    }
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
    return text.data();
}

void dumpTensors(const std::vector<at::Tensor>& tensors, const std::string& path)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    for (const at::Tensor& tensor : tensors) {
        const at::Tensor plain = tensor.detach().to(at::kCPU).contiguous();
        file.write(static_cast<const char*>(plain.const_data_ptr()), static_cast<std::streamsize>(plain.nbytes()));
    }
    file.close();
    if (!file)
        throw Failure(ExitCode::Unexpected, "cannot write " + path);
}

} // namespace lockstep::trainer
