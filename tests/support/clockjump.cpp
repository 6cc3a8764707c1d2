// SPDX-License-Identifier: GPL-3.0-or-later
// Preloaded into a host's programs: the wall clock is as many seconds ahead as the file $CLOCK_JUMP says at the moment;
// the monotonic clocks are as they are. No namespace moves the wall clock.
#include <cstdio>
#include <cstdlib>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace {

long jumpedSeconds()
{
    const char* path = std::getenv("CLOCK_JUMP");
    FILE* file = path != nullptr ? std::fopen(path, "re") : nullptr;
    if (file == nullptr)
        return 0;
    long seconds = 0;
    if (std::fscanf(file, "%ld", &seconds) != 1)
        seconds = 0;
    std::fclose(file);
    return seconds;
}

} // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept
{
    const auto result = static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += jumpedSeconds();
    return result;
}

int gettimeofday(timeval* now, void*) noexcept
{
    timespec precise{};
    const int result = clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return result;
}

time_t time(time_t* into) noexcept
{
    timespec precise{};
    clock_gettime(CLOCK_REALTIME, &precise);
    if (into != nullptr)
        *into = precise.tv_sec;
    return precise.tv_sec;
}
}
