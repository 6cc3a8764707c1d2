// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/mappedfile.h"

#include "trainer/failure.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lockstep::trainer {

namespace {

class Descriptor {
public:
    // Never waits for a pipe's writer.
    Descriptor(const std::string& path, ExitCode code) : m_value(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    {
        if (m_value < 0)
            refuseFile(path, std::strerror(errno), code);
    }
    ~Descriptor() { close(m_value); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int value() const { return m_value; }

private:
    int m_value;
};

} // namespace

void refuseFile(const std::string& path, const std::string& why, ExitCode code)
{
    throw Failure(code, "cannot read " + path + ": " + why);
}

MappedFile::MappedFile(const std::string& path, ExitCode code) : m_path(path)
{
    const Descriptor file(path, code);
    struct stat facts {};
    if (fstat(file.value(), &facts) != 0)
        refuseFile(path, std::strerror(errno), code);
    if (!S_ISREG(facts.st_mode))
        refuseFile(path, "it is no file", code);
    if (facts.st_size == 0)
        refuseFile(path, "it is empty", code);
    const auto size = static_cast<std::size_t>(facts.st_size);
    void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value(), 0);
    if (memory == MAP_FAILED)
        refuseFile(path, std::strerror(errno), code);
    m_bytes = {static_cast<const std::uint8_t*>(memory), size};
}

MappedFile::~MappedFile()
{
    munmap(const_cast<std::uint8_t*>(m_bytes.data()), m_bytes.size());
}

} // namespace lockstep::trainer
