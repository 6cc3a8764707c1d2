// SPDX-License-Identifier: GPL-3.0-or-later
// A rank for tests: says what it was given, or has the children that launchers leave behind.
//   rankprobe args FILE ...    its further arguments and its environment, NUL-ended, into FILE and FILE.env
//   rankprobe sleep            until it is ended
//   rankprobe family FILE      ignores TERM; so do a child in its own session, a double-forked one, and one without the
//                              environment; all write their pid to FILE
//   rankprobe hydra FILE       on TERM each head grows two others, up to a limit
//   rankprobe flood FILE       lines on stdout until FILE exists; a metric record after the first thousand
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

extern char** environ;

namespace {

constexpr int kMaxHeads = 60;
const char* g_file = nullptr; // for the signal handler

void note(const char* path)
{
    const std::string line = std::to_string(::getpid()) + "\n";
    const int fd = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (::write(fd, line.data(), line.size()) < 0)
        std::abort();
    ::close(fd);
}

[[noreturn]] void sleepForEver()
{
    while (true)
        ::pause();
}

void writeStrings(const std::string& path, char** strings)
{
    std::FILE* file = std::fopen((path + ".new").c_str(), "w");
    for (; *strings != nullptr; ++strings)
        std::fwrite(*strings, 1, std::strlen(*strings) + 1, file);
    std::fclose(file);
    std::rename((path + ".new").c_str(), path.c_str());
}

void growFamily(char* self, char* path)
{
    ::signal(SIGTERM, SIG_IGN);
    if (::fork() == 0) {
        ::setsid();
        note(path);
        sleepForEver();
    }
    if (::fork() == 0) {
        if (::fork() == 0) {
            note(path);
            sleepForEver();
        }
        ::_exit(0);
    }
    if (::fork() == 0) {
        ::setsid();
        if (::fork() == 0) {
            char verb[] = "note";
            char* argv[] = {self, verb, path, nullptr};
            char* nothing[] = {nullptr};
            ::execve(self, argv, nothing);
        }
        ::_exit(0);
    }
    note(path);
    sleepForEver();
}

void growHeads(int)
{
    static int heads = 0;
    for (int i = 0; i < 2; ++i) {
        if (heads++ < kMaxHeads && ::fork() == 0) {
            ::setsid();
            note(g_file);
        }
    }
}

void flood(const char* path)
{
    ::setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
    for (long i = 0; ::access(path, F_OK) != 0; ++i) {
        std::printf("line %ld of a flood that nobody can read\n", i);
        if (i == 1000 && ::write(3, "metric - 0 step=1 loss=0.5\n", 27) != 27)
            std::abort();
    }
    std::printf("last line\n");
}

} // namespace

int main(int argc, char** argv)
{
    const std::string verb = argc > 1 ? argv[1] : "";
    if (verb == "args") {
        writeStrings(std::string(argv[2]) + ".env", environ);
        writeStrings(argv[2], argv + 3);
        return 0;
    }
    if (verb == "sleep")
        sleepForEver();
    if (verb == "note") {
        ::signal(SIGTERM, SIG_IGN);
        note(argv[2]);
        sleepForEver();
    }
    if (verb == "family")
        growFamily(argv[0], argv[2]);
    if (verb == "hydra") {
        g_file = argv[2];
        ::signal(SIGTERM, growHeads);
        note(argv[2]);
        sleepForEver();
    }
    if (verb == "flood") {
        flood(argv[2]);
        return 0;
    }
    return 2;
}
