// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/checkpointfolder.h"

#include "trainer/checkpoint/asidefile.h"
#include "trainer/failure.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace lockstep::trainer {

namespace {

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kSuffix = ".pt";
constexpr char kBest[] = "/best.pt";

// -1: no checkpoint's name.
std::int64_t stepOf(std::string_view name)
{
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix) || name.size() <= kPrefix.size() + kSuffix.size())
        return -1;
    name.remove_prefix(kPrefix.size());
    name.remove_suffix(kSuffix.size());
    std::int64_t step = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
    return error == std::errc() && end == name.data() + name.size() ? step : -1;
}

[[noreturn]] void refuse(const std::string& what, const std::string& why)
{
    throw Failure(ExitCode::Checkpoint, "cannot " + what + ": " + why);
}

} // namespace

CheckpointFolder::CheckpointFolder(std::string path, std::int64_t keep) : m_path(std::move(path)), m_keep(keep)
{
    while (m_path.size() > 1 && m_path.ends_with('/'))
        m_path.pop_back();
}

std::string CheckpointFolder::fileOf(std::int64_t step) const
{
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%09lld", static_cast<long long>(step));
    return m_path + "/" + std::string(kPrefix) + digits.data() + std::string(kSuffix);
}

std::string CheckpointFolder::best() const
{
    return m_path + kBest;
}

std::vector<CheckpointName> CheckpointFolder::list() const
{
    std::vector<CheckpointName> found;
    std::error_code error;
    if (!std::filesystem::exists(m_path, error))
        return found;
    std::filesystem::directory_iterator entries(m_path, error);
    if (error)
        refuse("list the checkpoints in " + m_path, error.message());
    for (const auto& entry : entries) {
        if (const std::int64_t step = stepOf(entry.path().filename().string()); step >= 0)
            found.push_back({step, entry.path().string()});
    }
    std::ranges::sort(found, {}, &CheckpointName::step);
    return found;
}

void CheckpointFolder::make()
{
    std::error_code error;
    std::filesystem::create_directories(m_path, error);
    if (error)
        refuse("make the folder " + m_path + " for checkpoints", error.message());
    if (!std::filesystem::is_directory(m_path, error))
        refuse("write checkpoints into " + m_path, "it is no folder");
    if (access(m_path.c_str(), W_OK | X_OK) != 0)
        refuse("write checkpoints into " + m_path, std::strerror(errno));
    AsideFile::removeLeftovers(m_path);
}

void CheckpointFolder::takeOver(std::int64_t newest)
{
    m_own = list();
    std::erase_if(m_own, [newest](const CheckpointName& name) { return name.step > newest; });
}

void CheckpointFolder::wasWritten(std::int64_t step)
{
    std::erase_if(m_own, [step](const CheckpointName& name) { return name.step == step; });
    m_own.push_back({step, fileOf(step)});
    while (m_keep > 0 && std::ssize(m_own) > m_keep) {
        std::error_code error;
        std::filesystem::remove(m_own.front().path, error);
        if (error)
            refuse("remove the old checkpoint " + m_own.front().path, error.message());
        m_own.erase(m_own.begin());
    }
}

void CheckpointFolder::setBest(std::int64_t step)
{
    const std::string aside = best() + ".new." + std::to_string(getpid());
    std::error_code error;
    std::filesystem::remove(aside, error);
    std::filesystem::create_hard_link(fileOf(step), aside, error);
    if (error) // not every file system has links
        std::filesystem::copy_file(fileOf(step), aside, error);
    if (!error)
        std::filesystem::rename(aside, best(), error);
    if (error) {
        std::error_code gone;
        std::filesystem::remove(aside, gone);
        refuse("keep the best checkpoint as " + best(), error.message());
    }
}

} // namespace lockstep::trainer
