// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/usermanager.h"

#include "remote/agent/spawn.h"

#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr char kLingerFolder[] = "/var/lib/systemd/linger"; // logind: an empty file a user (loginctl enable-linger)

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

} // namespace

bool lingers()
{
    const passwd* user = ::getpwuid(::getuid());
    if (user == nullptr)
        return false;
    const std::string folder = variable(kLingerVariable);
    const std::string file = (folder.empty() ? kLingerFolder : folder) + "/" + user->pw_name;
    return ::access(file.c_str(), F_OK) == 0;
}

std::string userRuntimeFolder()
{
    const std::string folder = variable("XDG_RUNTIME_DIR");
    return folder.empty() ? "/run/user/" + std::to_string(::getuid()) : folder;
}

Outcome<std::vector<std::string>> scopeCommand(const std::string& unit, const std::string& program)
{
    if (!lingers())
        return failed("io", "the user does not linger");
    const std::string runtime = userRuntimeFolder();
    if (::access((runtime + "/systemd/private").c_str(), F_OK) != 0 && ::access((runtime + "/bus").c_str(), F_OK) != 0)
        return failed("io", "the user's systemd is not found in " + runtime);
    const auto systemdRun = findProgram("systemd-run", variable("PATH"), "/");
    if (!systemdRun)
        return std::unexpected(systemdRun.error());
    return std::vector<std::string>{*systemdRun, "--user",         "--scope", "--quiet",
                                    "--collect", "--unit=" + unit, "--",      program};
}

} // namespace lockstep::agent
