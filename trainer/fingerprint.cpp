// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/fingerprint.h"

#include "trainer/contenthash.h"
#include "trainer/failure.h"

#include <ATen/ATen.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace lockstep::trainer {

namespace {

void dump(Strategy& strategy, const std::vector<at::Tensor>& parts, const std::string& path)
{
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    strategy.gather(parts, [&file](std::size_t, const at::Tensor& whole) {
        const at::Tensor plain = whole.to(at::kCPU).contiguous();
        file.write(static_cast<const char*>(plain.const_data_ptr()), static_cast<std::streamsize>(plain.nbytes()));
    });
    file.close();
    if (!file)
        throw Failure(ExitCode::Output,
                      "cannot write " + path + (errno != 0 ? ": " + std::string(std::strerror(errno)) : ""));
}

} // namespace

std::string fingerprint(Strategy& strategy)
{
    ContentHash hash;
    strategy.gather(strategy.parameters(), [&hash](std::size_t, const at::Tensor& whole) {
        const at::Tensor plain = whole.to(at::kCPU).contiguous();
        hash.add(plain.const_data_ptr(), plain.nbytes());
    });
    return hash.hex();
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
