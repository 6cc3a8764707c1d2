// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/fetchtorch.h"

#include "core/wire/decoder.h"
#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/fd.h"
#include "remote/agent/folders.h"
#include "remote/agent/input.h"
#include "remote/agent/spawn.h"
#include "remote/agent/torchlinks.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kTotalUs = 2LL * 3600 * 1'000'000; // 3.5 GB at 0.5 MB/s
constexpr std::int64_t kStillUs = 300LL * 1'000'000;      // without one byte more: a proxy that swallows everything
constexpr std::int64_t kAskUs = 60'000'000;
constexpr int kLookMs = 1'000;
constexpr std::size_t kKeptWords = 1'500;
constexpr std::size_t kMostPackages = 64;

struct Wanted {
    std::string version, python = "3.12";
    std::uint64_t bytes = 0;
    std::vector<std::string> packages;
};

bool isPlain(std::string_view text) // no option, no path, no blank
{
    constexpr std::string_view kBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+=";
    return !text.empty() && text.size() < 128 && text[0] != '-' && text[0] != '.' &&
           text.find_first_not_of(kBytes) == std::string_view::npos;
}

Outcome<Wanted> readWanted(Input& input)
{
    Wanted wanted;
    std::string line;
    std::vector<wire::Field> fields;
    while (true) {
        const auto answer = input.readLine(line, monotonicUs() + kAskUs);
        if (!answer)
            return std::unexpected(answer.error());
        wire::RecordView record;
        if (*answer != Input::Answer::Line || !wire::decodeLine(line, record, fields))
            return failed("protocol", "what to fetch came to no end on standard input");
        if (record.kind == "end")
            break;
        if (record.kind == "fetch") {
            wanted.version = record.text("version");
            wanted.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, record.integer("bytes").value_or(0)));
            if (const std::string python = record.text("python"); !python.empty())
                wanted.python = python;
        }
        if (record.kind == "package" && wanted.packages.size() < kMostPackages)
            wanted.packages.push_back(record.text("spec"));
    }
    const bool plain =
        isPlain(wanted.version) && isPlain(wanted.python) && std::ranges::all_of(wanted.packages, isPlain);
    if (!plain || wanted.packages.empty())
        return failed("protocol", "what to fetch can't be");
    return wanted;
}

std::uint64_t bytesIn(const std::string& folder)
{
    std::uint64_t bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        struct stat status {};
        if (::lstat(it->path().c_str(), &status) == 0 && S_ISREG(status.st_mode))
            bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
    }
    return bytes;
}

// pip writes the wheels to a temporary folder first, then unpacks them.
Outcome<void> checkRoom(const std::string& folder, std::uint64_t bytes)
{
    struct statvfs room {};
    if (::statvfs(folder.c_str(), &room) != 0)
        return failedSystemCall("look at the disk of " + folder);
    const std::uint64_t free = std::uint64_t{room.f_bavail} * room.f_frsize;
    if (free < bytes * 2)
        return failed("disk",
                      folder + " has " + std::to_string(free / 1'000'000) + " MB free, and fetching torch takes " +
                          std::to_string(bytes * 2 / 1'000'000) +
                          " MB while it is unpacked; make room, or set LOCKSTEP_CACHE_DIR there to another disk");
    return {};
}

class Pip {
public:
    Pip(const Wanted& wanted, std::string target, int in, int out)
        : m_wanted(wanted), m_target(std::move(target)), m_in(in), m_out(out)
    {
    }
    ~Pip() { end(); }
    Pip(const Pip&) = delete;
    Pip& operator=(const Pip&) = delete;

    [[nodiscard]] Outcome<void> run()
    {
        const char* path = std::getenv("PATH");
        const auto python = findProgram("python3", path != nullptr ? path : "", "/");
        if (!python)
            return failed("not_found", "there is no python3 in the PATH of " + hostName() + ", so no pip");
        if (const auto started = start(*python); !started)
            return started;
        const std::int64_t deadline = monotonicUs() + kTotalUs;
        std::uint64_t last = 0;
        for (std::int64_t still = monotonicUs() + kStillUs;;) {
            if (const auto ended = step())
                return *ended;
            const std::uint64_t bytes = bytesIn(m_target);
            if (bytes != last)
                still = monotonicUs() + kStillUs;
            last = bytes;
            if (!sayProgress(bytes))
                return failed("abandoned", "the desktop that asked for torch is gone");
            if (monotonicUs() > deadline || monotonicUs() > still)
                return failed("timeout", "pip on " + hostName() + " made no progress in time: " + words());
        }
    }

private:
    Outcome<void> start(const std::string& python)
    {
        std::vector<std::string> argv{python,
                                      "-m",
                                      "pip",
                                      "install",
                                      "--disable-pip-version-check",
                                      "--no-input",
                                      "--no-compile",
                                      "--only-binary=:all:",
                                      "--progress-bar=off",
                                      "--python-version",
                                      m_wanted.python,
                                      "--platform",
                                      "manylinux_2_28_x86_64",
                                      "--platform",
                                      "manylinux_2_27_x86_64",
                                      "--platform",
                                      "manylinux2014_x86_64",
                                      "--target",
                                      m_target + "/site"};
        argv.insert(argv.end(), m_wanted.packages.begin(), m_wanted.packages.end());
        const std::string temporary = m_target + "/tmp";
        ::mkdir(temporary.c_str(), 0700);
        int ends[2] = {-1, -1};
        if (::pipe2(ends, O_CLOEXEC) != 0)
            return failedSystemCall("make a pipe");
        m_words = Fd(ends[0]);
        const Fd write(ends[1]);
        std::vector<char*> words;
        for (std::string& word : argv)
            words.push_back(word.data());
        words.push_back(nullptr);
        m_pid = ::fork();
        if (m_pid < 0)
            return failedSystemCall("start pip");
        if (m_pid == 0) {
            ::setpgid(0, 0);
            const int null = ::open("/dev/null", O_RDONLY);
            ::dup2(null, 0);
            ::dup2(write.get(), 1);
            ::dup2(write.get(), 2);
            ::setenv("TMPDIR", temporary.c_str(), 1); // /tmp is often small
            ::signal(SIGPIPE, SIG_DFL);
            ::execv(words[0], words.data());
            ::_exit(127);
        }
        ::setpgid(m_pid, m_pid);
        ::fcntl(m_words.get(), F_SETFL, O_NONBLOCK);
        return {};
    }

    // Looks for a second: words, the end of pip, the end of stdin.
    std::optional<Outcome<void>> step()
    {
        std::array<pollfd, 2> entries{pollfd{m_in, POLLIN, 0}, pollfd{m_words.get(), POLLIN, 0}};
        ::poll(entries.data(), entries.size(), kLookMs);
        std::array<char, 4096> bytes{};
        if (entries[0].revents != 0 && ::read(m_in, bytes.data(), bytes.size()) <= 0)
            return failed("abandoned", "the desktop that asked for torch is gone");
        if (entries[1].revents == 0)
            return std::nullopt;
        const ssize_t got = ::read(m_words.get(), bytes.data(), bytes.size());
        if (got > 0) {
            m_said.append(bytes.data(), static_cast<std::size_t>(got));
            if (m_said.size() > kKeptWords)
                m_said.erase(0, m_said.size() - kKeptWords);
            return std::nullopt;
        }
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            return std::nullopt;
        int status = 0;
        while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {
        }
        m_pid = 0;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            return Outcome<void>();
        return failed("io", "pip on " + hostName() + " could not fetch torch: " + words());
    }

    bool sayProgress(std::uint64_t bytes) const
    {
        std::string record;
        wire::Encoder encoder(record);
        encoder.begin("progress", wire::kNode, monotonicUs()).field("bytes", bytes).field("of", m_wanted.bytes).end();
        return writeAll(m_out, record);
    }

    // The last lines, without line ends: a sentence goes on with them.
    [[nodiscard]] std::string words() const
    {
        std::string text = m_said.substr(m_said.size() > 600 ? m_said.size() - 600 : 0);
        for (char& c : text)
            c = c == '\n' || c == '\r' ? ' ' : c;
        return text.empty() ? "it said nothing" : text;
    }

    void end()
    {
        if (m_pid <= 0)
            return;
        ::kill(-m_pid, SIGKILL);
        while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
        }
        m_pid = 0;
    }

    const Wanted& m_wanted;
    std::string m_target;
    int m_in, m_out;
    pid_t m_pid = 0;
    Fd m_words;
    std::string m_said;
};

Outcome<std::string> fetch(const Wanted& wanted, int in, int out)
{
    const auto cache = cacheFolder();
    if (!cache)
        return std::unexpected(cache.error());
    const std::string folder = *cache + "/torch", target = folder + "/" + wanted.version,
                      aside = folder + "/." + wanted.version;
    if (const auto made = ensurePrivateFolder(folder); !made)
        return std::unexpected(made.error());
    const Fd lock(::open((aside + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock.isOpen())
        return failedSystemCall("make " + aside + ".lock");
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return failed("busy", "torch is being fetched there already");
    if (readTorchVersion(target + "/torch").version == wanted.version)
        return target + "/torch"; // another node of this home was first
    std::error_code error;
    fs::remove_all(aside, error);
    if (const auto room = checkRoom(folder, wanted.bytes); !room)
        return std::unexpected(room.error());
    if (const auto made = ensurePrivateFolder(aside); !made)
        return std::unexpected(made.error());
    auto done = Pip(wanted, aside, in, out).run();
    if (done && readTorchVersion(aside + "/site/torch").version != wanted.version)
        done = failed("protocol", "pip brought torch " + readTorchVersion(aside + "/site/torch").version + ", not " +
                                      wanted.version);
    if (done) {
        fs::remove_all(target, error);
        if (::rename((aside + "/site").c_str(), target.c_str()) != 0)
            done = failedSystemCall("put " + target + " in place");
    }
    fs::remove_all(aside, error);
    if (!done)
        return std::unexpected(done.error());
    return target + "/torch";
}

} // namespace

int runFetchTorch(int in, int out)
{
    Input input(in);
    const auto wanted = readWanted(input);
    if (!wanted)
        return answerFailure(out, wanted.error());
    const auto path = fetch(*wanted, in, out);
    if (!path)
        return answerFailure(out, path.error());
    std::string record;
    wire::Encoder(record).begin("done", wire::kNode, monotonicUs()).field("path", *path).end();
    return writeAll(out, record) ? 0 : 1;
}

} // namespace lockstep::agent
