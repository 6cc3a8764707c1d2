// SPDX-License-Identifier: GPL-3.0-or-later
// lockstep-agent VERB ...: see README.md for the verbs and what they say.
#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/bundles.h"
#include "remote/agent/facts.h"
#include "remote/agent/fetchtorch.h"
#include "remote/agent/findtorch.h"
#include "remote/agent/follow.h"
#include "remote/agent/launch.h"
#include "remote/agent/list.h"
#include "remote/agent/listen.h"
#include "remote/agent/peerframes.h"
#include "remote/agent/receive.h"
#include "remote/agent/results.h"
#include "remote/agent/sampler.h"
#include "remote/agent/stop.h"
#include "remote/agent/supervisorstart.h"
#include "remote/agent/version.h"

#include <charconv>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

using namespace lockstep::agent;

constexpr int kMaxGraceS = 24 * 3600;
constexpr std::uint64_t kMostGatherMs = 500; // well below the silence that a desktop speaks of

template <typename T>
std::optional<T> parseNumber(std::string_view text)
{
    T value{};
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{} || result.ptr != text.data() + text.size())
        return std::nullopt;
    return value;
}

int runVersion()
{
    std::string record;
    lockstep::wire::Encoder encoder(record);
    encoder.begin("version", lockstep::wire::kNode, 0)
        .field("agent", kVersion)
        .field("wire", lockstep::wire::kFormatVersion)
        .end();
    return writeAll(STDOUT_FILENO, record) ? 0 : 1;
}

int usage(const std::string& problem)
{
    return answerFailure(
        STDOUT_FILENO,
        {"usage", problem + ". Verbs: version, probe, sample, receive BUNDLE, launch RUN, follow RUN --from "
                            "OFFSET --gather MS, stop RUN [--grace SECONDS] [--by driver], list, about RUN, listen "
                            "ADDR[,ADDR...] PORT, reach ADDR[,ADDR...] PORT, missing BUNDLE, results RUN, bundles, "
                            "forget HASH..., serve ADDR, find-torch, fetch-torch"});
}

int follow(const std::vector<std::string>& words)
{
    FollowOrder order{words[1]};
    for (std::size_t i = 2; i < words.size(); i += 2) {
        const auto number = i + 1 < words.size() ? parseNumber<std::uint64_t>(words[i + 1]) : std::nullopt;
        if (number && words[i] == "--from")
            order.offset = *number;
        else if (number && words[i] == "--gather" && *number <= kMostGatherMs)
            order.gatherUs = static_cast<std::int64_t>(*number) * 1000;
        else
            return usage("follow takes a run, --from OFFSET and --gather MS, up to " + std::to_string(kMostGatherMs));
    }
    return runFollow(order, {});
}

int stop(const std::vector<std::string>& words)
{
    StopWish wish;
    for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
        const auto grace = words[i] == "--grace" ? parseNumber<int>(words[i + 1]) : std::nullopt;
        if (grace && *grace >= 0 && *grace <= kMaxGraceS)
            wish.graceS = *grace;
        else if (words[i] == "--by" && words[i + 1] == "driver")
            wish.by = StopBy::Driver;
        else
            return usage("stop takes --grace SECONDS and --by driver, not " + words[i] + " " + words[i + 1]);
    }
    if (words.size() % 2 != 0)
        return usage("stop takes a run, --grace SECONDS and --by driver");
    return runStop(words[1], wish, STDOUT_FILENO);
}

int dispatch(const std::vector<std::string>& words)
{
    if (words.empty())
        return usage("no verb");
    const std::string& verb = words[0];
    if (verb == "follow" && words.size() >= 2)
        return follow(words);
    if (verb == "stop" && words.size() >= 2)
        return stop(words);
    if (verb == "launch" && words.size() == 2)
        return runLaunch(words[1], STDIN_FILENO, STDOUT_FILENO);
    if (verb == "receive" && words.size() == 2)
        return runReceive(words[1], STDIN_FILENO, STDOUT_FILENO);
    if (verb == "supervise" && words.size() == 2) // internal: systemd-run's
        return runSupervise(words[1]);
    if (verb == "about" && words.size() == 2)
        return runAbout(words[1], STDOUT_FILENO);
    if (verb == "results" && words.size() == 2)
        return runResults(words[1], STDIN_FILENO, STDOUT_FILENO);
    if (verb == "missing" && words.size() == 2)
        return runMissing(words[1], STDIN_FILENO, STDOUT_FILENO);
    if (verb == "serve" && words.size() == 2)
        return runServe(words[1], STDIN_FILENO, STDOUT_FILENO);
    if (verb == "forget" && words.size() >= 2)
        return runForget({words.begin() + 1, words.end()}, STDOUT_FILENO);
    if (verb == "listen" && words.size() == 3)
        return runListen(words[1], words[2], STDOUT_FILENO, STDIN_FILENO);
    if (verb == "reach" && words.size() == 3)
        return runReach(words[1], words[2], STDOUT_FILENO);
    if (words.size() > 1)
        return usage("\"" + verb + "\" with " + std::to_string(words.size() - 1) + " more words means nothing");
    if (verb == "version")
        return runVersion();
    if (verb == "probe")
        return runProbe(STDOUT_FILENO, STDIN_FILENO);
    if (verb == "sample")
        return runSample(STDOUT_FILENO, STDIN_FILENO);
    if (verb == "gpu-samples") // internal: the sampler's own child
        return runGpuChild(STDOUT_FILENO);
    if (verb == "bundles")
        return runBundles(STDOUT_FILENO);
    if (verb == "find-torch")
        return runFindTorch(STDOUT_FILENO);
    if (verb == "fetch-torch")
        return runFetchTorch(STDIN_FILENO, STDOUT_FILENO);
    if (verb == "list")
        return runList(STDOUT_FILENO);
    return usage("\"" + verb + "\" is no verb");
}

} // namespace

int main(int argc, char** argv)
{
    ::signal(SIGPIPE, SIG_IGN); // a reader that is gone is an answer of write()
    return dispatch(std::vector<std::string>(argv + 1, argv + argc));
}
