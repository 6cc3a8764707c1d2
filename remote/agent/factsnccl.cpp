// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/factsnccl.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::agent {

namespace {

constexpr std::string_view kName = "libnccl.so.2";

std::vector<std::string> places(const FactsRoots& roots)
{
    std::vector<std::string> folders;
    const char* path = std::getenv("LD_LIBRARY_PATH");
    std::string_view rest = path != nullptr ? path : "";
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(one.size() + 1, rest.size()));
        if (one.starts_with('/'))
            folders.emplace_back(one);
    }
    for (const char* one : {"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/lib", "/local/cuda/lib64",
                            "/local/nccl/lib", "/local/lib"})
        folders.push_back(roots.usr + one);
    return folders;
}

} // namespace

void appendNccl(wire::Encoder& record, const FactsRoots& roots)
{
    for (const std::string& folder : places(roots)) {
        std::error_code failed; // libnccl.so.2 -> libnccl.so.2.27.7
        const std::filesystem::path path = folder + '/' + std::string(kName);
        const auto file = std::filesystem::canonical(path, failed);
        if (failed)
            continue;
        const std::string name = file.filename();
        record.field("nccl_path", path.string());
        if (name.starts_with(std::string(kName) + '.'))
            record.field("nccl", "2." + name.substr(kName.size() + 1));
        return;
    }
}

} // namespace lockstep::agent
