// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/factshome.h"

#include "remote/agent/answer.h"
#include "remote/agent/fd.h"
#include "remote/agent/folders.h"
#include "remote/agent/procfile.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

struct FileSystem {
    std::uint32_t magic; // statfs(2), linux/magic.h and the systems' own headers
    const char* name;
};
constexpr std::array kFileSystems = {
    FileSystem{0x6969, "nfs"},        FileSystem{0x0bd00bd0, "lustre"}, FileSystem{0x47504653, "gpfs"},
    FileSystem{0x19830326, "beegfs"}, FileSystem{0xff534d42, "cifs"},   FileSystem{0xfe534d42, "smb2"},
    FileSystem{0x00c36400, "ceph"},   FileSystem{0x65735546, "fuse"},   FileSystem{0x01021997, "9p"},
    FileSystem{0x5346414f, "afs"},    FileSystem{0xef53, "ext4"},       FileSystem{0x58465342, "xfs"},
    FileSystem{0x9123683e, "btrfs"},  FileSystem{0x01021994, "tmpfs"},  FileSystem{0x794c7630, "overlay"},
    FileSystem{0x2fc12fc1, "zfs"},    FileSystem{0xf2f52010, "f2fs"},
};

std::string fileSystemOf(const std::string& folder)
{
    struct statfs status {};
    if (::statfs(folder.c_str(), &status) != 0)
        return {};
    const auto magic = static_cast<std::uint32_t>(status.f_type);
    for (const FileSystem& known : kFileSystems)
        if (known.magic == magic)
            return known.name;
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", magic);
    return text;
}

std::string randomName()
{
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return {};
    std::string text;
    for (const unsigned char byte : bytes) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", byte);
        text += digits;
    }
    return text;
}

// link(2) is atomic on network file systems too, where O_EXCL once was not: of many nodes at once one wins, and all
// read its word.
std::string marker(const std::string& folder)
{
    const std::string path = folder + "/home-id";
    if (std::string id = readWord(path); !id.empty())
        return id;
    const std::string id = randomName();
    const std::string aside = path + '.' + id;
    const Fd file(::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (id.empty() || !file.isOpen())
        return {}; // a home that can't be written: not known
    const bool written = writeAll(file.get(), id + '\n') && ::fsync(file.get()) == 0;
    if (written && ::link(aside.c_str(), path.c_str()) != 0 && errno != EEXIST)
        ::rename(aside.c_str(), path.c_str()); // a file system without hard links
    ::unlink(aside.c_str());
    return readWord(path);
}

} // namespace

void appendHome(wire::Encoder& record)
{
    const auto folder = cacheFolder();
    if (!folder)
        return;
    if (const std::string id = marker(*folder); !id.empty())
        record.field("home_id", id);
    if (const std::string kind = fileSystemOf(*folder); !kind.empty())
        record.field("home_fs", kind);
}

} // namespace lockstep::agent
