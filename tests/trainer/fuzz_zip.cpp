// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever the bytes: an archive is refused, or its contents lie inside the file.
#include "trainer/checkpoint/ziparchive.h"
#include "trainer/failure.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace lockstep::trainer;
    const int memory = memfd_create("zip", 0);
    if (memory < 0 || write(memory, data, size) != static_cast<ssize_t>(size))
        std::abort();
    try {
        const ZipReader reader("/proc/self/fd/" + std::to_string(memory));
        for (const char* name : {"data.pkl", "data/0", "version"}) {
            const std::string path = reader.folder() + "/" + name;
            if (reader.has(path) && reader.content(path).size() > size)
                std::abort();
        }
    } catch (const Failure&) {
    }
    close(memory);
    return 0;
}
