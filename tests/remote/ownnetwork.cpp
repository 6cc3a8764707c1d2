// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/remote/ownnetwork.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace lockstep::test {

namespace {

constexpr char kInterface[] = "lo";
constexpr char kOwnAlias[] = "lo:1";
constexpr char kAddress[] = "10.77.0.1";
constexpr char kMask[] = "255.255.255.0";

void orEnd(bool done, const char* what)
{
    if (done)
        return;
    std::fprintf(stderr, "this test needs a network of its own: %s: %s\n", what, std::strerror(errno));
    std::exit(1);
}

void writeFile(const char* path, const std::string& text)
{
    const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
    orEnd(fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()), path);
    ::close(fd);
}

sockaddr* asAddress(sockaddr& place, const char* text)
{
    auto& address = reinterpret_cast<sockaddr_in&>(place);
    address = {};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, text, &address.sin_addr);
    return &place;
}

void bringUp()
{
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    std::strncpy(request.ifr_name, kInterface, IFNAMSIZ - 1);
    request.ifr_flags = IFF_UP;
    orEnd(::ioctl(fd, SIOCSIFFLAGS, &request) == 0, "lo up");
    std::strncpy(request.ifr_name, kOwnAlias, IFNAMSIZ - 1);
    asAddress(request.ifr_addr, kAddress);
    orEnd(::ioctl(fd, SIOCSIFADDR, &request) == 0, kAddress);
    asAddress(request.ifr_netmask, kMask); // on lo, the whole subnet is this machine
    orEnd(::ioctl(fd, SIOCSIFNETMASK, &request) == 0, kMask);
    ::close(fd);
}

} // namespace

void enterOwnNetwork()
{
    const uid_t uid = ::getuid();
    const gid_t gid = ::getgid();
    if (uid == 0) {
        orEnd(::unshare(CLONE_NEWNET) == 0, "unshare");
    } else {
        orEnd(::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0, "unshare");
        writeFile("/proc/self/setgroups", "deny");
        writeFile("/proc/self/uid_map", std::to_string(uid) + " " + std::to_string(uid) + " 1");
        writeFile("/proc/self/gid_map", std::to_string(gid) + " " + std::to_string(gid) + " 1");
    }
    bringUp();
}

} // namespace lockstep::test
