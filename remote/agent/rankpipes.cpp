// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/rankpipes.h"

#include "remote/agent/answer.h"
#include "remote/agent/fd.h"
#include "remote/agent/procfile.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr int kRankDescriptors[] = {1, 2, 3};

std::string pipesPath(const std::string& runFolder)
{
    return runFolder + "/pipes";
}

} // namespace

void RankPipes::add(int fd)
{
    struct stat status {};
    if (fd >= 0 && ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode))
        m_pipes.emplace(status.st_dev, status.st_ino);
}

void RankPipes::save(const std::string& runFolder) const
{
    std::string text = bootId() + "\n";
    for (const auto& [device, inode] : m_pipes)
        text += std::to_string(device) + " " + std::to_string(inode) + "\n";
    const Fd file(::open(pipesPath(runFolder).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.isOpen())
        writeAll(file.get(), text);
}

RankPipes RankPipes::load(const std::string& runFolder)
{
    RankPipes pipes;
    const std::string text = readText(pipesPath(runFolder));
    std::string_view rest = text;
    if (nextLine(rest) != bootId())
        return pipes;
    while (auto line = nextLine(rest)) {
        const auto device = leadingInteger(nextWord(*line)), inode = leadingInteger(nextWord(*line));
        if (device && inode)
            pipes.m_pipes.emplace(*device, *inode);
    }
    return pipes;
}

void RankPipes::remove(const std::string& runFolder)
{
    ::unlink(pipesPath(runFolder).c_str());
}

bool RankPipes::isHeldBy(pid_t process) const
{
    const std::string folder = "/proc/" + std::to_string(process) + "/fd/";
    return !m_pipes.empty() && std::ranges::any_of(kRankDescriptors, [&](int descriptor) {
        const std::string path = folder + std::to_string(descriptor);
        struct stat link {
        }, pipe{};
        // The link's own mode says what the descriptor is open for.
        return ::lstat(path.c_str(), &link) == 0 && (link.st_mode & S_IWUSR) != 0 && ::stat(path.c_str(), &pipe) == 0 &&
               S_ISFIFO(pipe.st_mode) && m_pipes.contains({pipe.st_dev, pipe.st_ino});
    });
}

} // namespace lockstep::agent
