// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/piprun.h"

#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/folders.h"
#include "remote/agent/spawn.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kTotalUs = 2LL * 3600 * 1'000'000; // 3.5 GB at 0.5 MB/s
constexpr std::int64_t kStillUs = 300LL * 1'000'000;      // without one byte more: a proxy that swallows everything
constexpr int kLookMs = 1'000;
constexpr std::size_t kKeptWords = 1'500;

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

} // namespace

PipRun::PipRun(const WantedTorch& wanted, std::string target, int in, int out)
    : m_wanted(wanted), m_target(std::move(target)), m_in(in), m_out(out)
{
}

PipRun::~PipRun()
{
    if (m_pid <= 0)
        return;
    ::kill(-m_pid, SIGKILL);
    while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    m_pid = 0;
}

Outcome<void> PipRun::run()
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

Outcome<void> PipRun::start(const std::string& python)
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
    words.reserve(argv.size() + 1);
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
std::optional<Outcome<void>> PipRun::step()
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

bool PipRun::sayProgress(std::uint64_t bytes) const
{
    std::string record;
    wire::Encoder encoder(record);
    encoder.begin("progress", wire::kNode, monotonicUs()).field("bytes", bytes).field("of", m_wanted.bytes).end();
    return writeAll(m_out, record);
}

// The last lines, without line ends: a sentence goes on with them.
std::string PipRun::words() const
{
    std::string text = m_said.substr(m_said.size() > 600 ? m_said.size() - 600 : 0);
    for (char& c : text)
        c = c == '\n' || c == '\r' ? ' ' : c;
    return text.empty() ? "it said nothing" : text;
}

} // namespace lockstep::agent
