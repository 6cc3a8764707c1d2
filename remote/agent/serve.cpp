// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/contentstore.h"
#include "remote/agent/peerframes.h"
#include "remote/agent/socketaddress.h"

#include "core/wire/decoder.h"
#include "core/wire/encoder.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kServeUs = 3600LL * 1'000'000; // a desktop that vanished does not hold a port
constexpr std::int64_t kTokenUs = 3'000'000;          // whoever connects says at once who they are
constexpr int kSilenceMs = 15'000;
constexpr int kMostStrangers = 64; // that knew no token: somebody is guessing
constexpr std::size_t kLeastTokenBytes = 32;
constexpr std::size_t kMaxLineBytes = 256;

// Every byte is looked at, so that the time of the answer tells nothing.
bool sameToken(std::string_view left, std::string_view right)
{
    unsigned char difference = left.size() == right.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
        difference |= static_cast<unsigned char>(left[i] ^ right[i]);
    return difference == 0;
}

class Serving {
public:
    Serving(ContentStore store, Fd listener, int in)
        : m_store(std::move(store)), m_listener(std::move(listener)), m_in(in)
    {
    }

    void run()
    {
        for (const std::int64_t end = monotonicUs() + kServeUs; monotonicUs() < end && m_strangers < kMostStrangers;) {
            std::array<pollfd, 2> entries{pollfd{m_in, POLLIN, 0}, pollfd{m_listener.get(), POLLIN, 0}};
            if (::poll(entries.data(), entries.size(), 1000) < 0 && errno != EINTR)
                return;
            if (entries[0].revents != 0 && !readAllowed())
                return;
            if (entries[1].revents == 0)
                continue;
            const Fd peer(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (peer.isOpen() && isKnown(peer))
                serve(peer);
        }
    }

private:
    bool readAllowed()
    {
        std::array<char, 4096> bytes{};
        const ssize_t got = ::read(m_in, bytes.data(), bytes.size());
        if (got <= 0)
            return got < 0 && (errno == EINTR || errno == EAGAIN);
        m_decoder.feed({bytes.data(), static_cast<std::size_t>(got)}, [this](const wire::RecordView& record) {
            if (record.kind == "allow" && record.text("token").size() >= kLeastTokenBytes)
                m_tokens.insert(record.text("token"));
        });
        return true;
    }

    bool isKnown(const Fd& peer)
    {
        const std::string line = readLine(peer, monotonicUs() + kTokenUs);
        for (const std::string& token : m_tokens) {
            if (sameToken(token, line)) {
                m_tokens.erase(token);
                return true;
            }
        }
        ++m_strangers;
        return false;
    }

    void serve(const Fd& peer)
    {
        for (;;) {
            const std::string hash = readLine(peer, monotonicUs() + std::int64_t{kSilenceMs} * 1000);
            if (!isHash(hash))
                return;
            const Fd frame(::open(m_store.framePath(hash).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
            struct stat status {};
            if (!frame.isOpen() || ::fstat(frame.get(), &status) != 0)
                return;
            for (off_t at = 0; at < status.st_size;) {
                const ssize_t sent =
                    ::sendfile(peer.get(), frame.get(), &at, static_cast<std::size_t>(status.st_size - at));
                pollfd writable{peer.get(), POLLOUT, 0};
                if (sent < 0 && (errno != EAGAIN || ::poll(&writable, 1, kSilenceMs) <= 0))
                    return;
                if (sent == 0)
                    return;
            }
        }
    }

    // Without its newline; empty: none came in time. Byte by byte: a line has 64 of them.
    static std::string readLine(const Fd& peer, std::int64_t end)
    {
        std::string line;
        while (line.size() < kMaxLineBytes) {
            pollfd readable{peer.get(), POLLIN, 0};
            const std::int64_t left = end - monotonicUs();
            if (left <= 0 || (::poll(&readable, 1, static_cast<int>(left / 1000 + 1)) < 0 && errno != EINTR))
                return {};
            char byte = 0;
            const ssize_t got = ::recv(peer.get(), &byte, 1, 0);
            if (got == 1 && byte == '\n')
                return line;
            if (got == 1)
                line.push_back(byte);
            else if (got == 0 || (errno != EAGAIN && errno != EINTR))
                return {};
        }
        return {};
    }

    ContentStore m_store;
    Fd m_listener;
    int m_in;
    wire::Decoder m_decoder;
    std::set<std::string> m_tokens;
    int m_strangers = 0;
};

} // namespace

int runServe(std::string_view address, int in, int out)
{
    auto store = ContentStore::open();
    if (!store)
        return answerFailure(out, store.error());
    const auto where = SocketAddress::parse(address, "0");
    if (!where)
        return answerFailure(out, where.error());
    if (where->text() == "0.0.0.0" || where->text() == "::")
        return answerFailure(out, {"usage", "serve takes the one address that the other node has reached"});
    Fd listener(::socket(where->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!listener.isOpen() || ::bind(listener.get(), where->get(), where->size()) != 0 ||
        ::listen(listener.get(), 8) != 0)
        return answerFailure(out, {"io", "can't listen on " + where->text() + ": " + std::strerror(errno)});
    std::string record;
    wire::Encoder(record)
        .begin("port", wire::kNode, monotonicUs())
        .field("port", where->boundPort(listener.get()))
        .end();
    if (writeAll(out, record))
        Serving(*store, std::move(listener), in).run();
    return 0;
}

} // namespace lockstep::agent
