// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/descriptorlimit.h"

#include <algorithm>
#include <cerrno>
#include <sys/resource.h>

namespace lockstep {

namespace {

// A connection needs 2 to 6. Not beyond: what we start inherits the limit, and there are programs that close each
// number up to it (in a container it may be a thousand million). Those that use select() keep to numbers below 1024
// anyway, which is what the usual limit is there for: they start with none but their standard streams.
constexpr rlim_t kEnough = 65'536;

} // namespace

void raiseDescriptorLimit()
{
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    const rlim_t wanted = std::min(limit.rlim_max, kEnough);
    if (limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit); // else it stays what it is, and is named when it is met
}

QString descriptorError(int error)
{
    rlimit limit{};
    if (error != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return qt_error_string(error);
    return QStringLiteral("this program has as many files and connections open as it may, %1; raise the hard limit of "
                          "open files (ulimit -Hn)")
        .arg(limit.rlim_cur);
}

} // namespace lockstep
