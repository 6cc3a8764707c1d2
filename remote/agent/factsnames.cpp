// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/factsnames.h"

#include "remote/agent/answer.h"
#include "remote/agent/childanswer.h"
#include "remote/agent/folders.h"
#include "remote/agent/procfile.h"

#include <algorithm>
#include <arpa/inet.h>
#include <memory>
#include <netdb.h>
#include <strings.h>

namespace lockstep::agent {

namespace {

constexpr std::chrono::seconds kDeadline{2}; // a name server that is gone takes up to 30 s
constexpr std::size_t kMaxAddresses = 8;

// In the child: one line an address, or `! why`.
void resolve(int fd, const std::string& name)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* raw = nullptr;
    if (const int failed = ::getaddrinfo(name.c_str(), nullptr, &hints, &raw); failed != 0) {
        writeAll(fd, std::string("! ") + ::gai_strerror(failed));
        return;
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> answers(raw, &::freeaddrinfo);
    std::string text;
    for (const addrinfo* one = raw; one != nullptr; one = one->ai_next) {
        char buffer[NI_MAXHOST];
        if (::getnameinfo(one->ai_addr, one->ai_addrlen, buffer, sizeof buffer, nullptr, 0, NI_NUMERICHOST) == 0)
            text += std::string(buffer) + '\n';
    }
    writeAll(fd, text);
}

void appendList(wire::Encoder& record, const std::string& list, const std::vector<std::string>& addresses)
{
    for (std::size_t at = 0; at < std::min(addresses.size(), kMaxAddresses); ++at)
        record.field(list + '/' + std::to_string(at) + "/addr", addresses[at]);
}

} // namespace

std::vector<std::string> addressesInHosts(const std::string& file, std::string_view name)
{
    std::vector<std::string> addresses;
    std::string_view rest = file;
    while (const auto line = nextLine(rest)) {
        std::string_view words = line->substr(0, line->find('#'));
        const std::string address(nextWord(words));
        for (std::string_view word = nextWord(words); !word.empty(); word = nextWord(words)) {
            const bool same = word.size() == name.size() && ::strncasecmp(word.data(), name.data(), name.size()) == 0;
            if (same && std::ranges::find(addresses, address) == addresses.end())
                addresses.push_back(address);
        }
    }
    return addresses;
}

void appendNames(wire::Encoder& record, const std::string& etcRoot)
{
    const std::string own = hostName();
    const auto answer = answerInTime([&own](int fd) { resolve(fd, own); }, kDeadline);
    if (!answer || answer->empty()) {
        record.field("self_error", "no answer within " + std::to_string(kDeadline.count()) + " s");
    } else if (answer->starts_with("! ")) {
        record.field("self_error", answer->substr(2));
    } else {
        std::vector<std::string> addresses;
        std::string_view rest = *answer;
        while (const auto line = nextLine(rest))
            if (std::ranges::find(addresses, *line) == addresses.end())
                addresses.emplace_back(*line);
        appendList(record, "self", addresses);
    }
    const std::string hosts = readText(etcRoot + "/hosts");
    appendList(record, "hosts", addressesInHosts(hosts, own));
    appendList(record, "localhost", addressesInHosts(hosts, "localhost"));
}

} // namespace lockstep::agent
