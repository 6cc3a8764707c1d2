// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/receive.h"

#include "core/wire/decoder.h"
#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/bundlelock.h"
#include "remote/agent/bundlemanifest.h"
#include "remote/agent/clocks.h"
#include "remote/agent/input.h"
#include "remote/agent/peerframes.h"
#include "remote/agent/torchlinks.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kProgressUs = 250'000;
constexpr std::int64_t kIdleUs =
    1'000'000; // then we say something: a connection that is dead only tells those who write
constexpr useconds_t kLockAgainUs = 200'000;
constexpr std::int64_t kLockDeadlineUs = 1800'000'000; // another node fills the shared home over a slow link

class Receiving {
public:
    Receiving(std::string bundle, ContentStore store, int in, int out)
        : m_reader(std::move(bundle)), m_store(std::move(store)), m_input(in), m_out(out)
    {
    }

    [[nodiscard]] Outcome<void> run()
    {
        if (const auto read = readManifest(); !read)
            return read;
        const std::string& bundle = m_reader.manifest().bundle;
        const auto links = torchLinks(m_reader.manifest());
        if (!links)
            return std::unexpected(links.error());
        bool whole = m_store.hasBundle(bundle, files()) && hasLinks(m_store.bundlePath(bundle), *links);
        std::optional<FillLock> lock;
        if (!whole) {
            auto taken = waitForLock();
            if (!taken)
                return std::unexpected(taken.error());
            lock.emplace(std::move(*taken));
            whole = m_store.hasBundle(bundle, files()) && hasLinks(m_store.bundlePath(bundle), *links);
        }
        if (const auto filled = fill(whole); !filled)
            return filled;
        if (!whole) {
            if (const auto linked = m_store.link(bundle, files(), *links); !linked)
                return linked;
        }
        std::string record;
        wire::Encoder encoder(record);
        encoder.begin("done", wire::kNode, monotonicUs()).field("path", m_store.bundlePath(bundle)).end();
        writeAll(m_out, record);
        return {};
    }

    [[nodiscard]] Outcome<void> askOnly()
    {
        if (const auto read = readManifest(); !read)
            return read;
        if (!m_store.hasBundle(m_reader.manifest().bundle, files())) {
            const std::vector<BundleFile> needed = findNeeded();
            if (const auto room = m_store.checkRoom(needed, files()); !room)
                return room;
            askFor(needed);
        }
        say("end");
        return {};
    }

private:
    [[nodiscard]] const std::vector<BundleFile>& files() const { return m_reader.manifest().files; }

    Outcome<void> fill(bool whole)
    {
        std::vector<BundleFile> needed;
        if (!whole) {
            m_store.dropLeftovers();
            needed = findNeeded();
            if (const auto room = m_store.checkRoom(needed, files()); !room)
                return room;
            askFor(needed);
        }
        say("end");
        for (const BundleFile& file : needed) {
            if (const auto received = receiveContent(file); !received)
                return received;
        }
        const auto record = nextRecord();
        if (!record)
            return std::unexpected(record.error());
        if (record->kind != "end")
            return failed("protocol", "expected the end of the bundle, got: " + m_line.substr(0, 200));
        return {};
    }

    // A record of the sender's, however long it takes: it may compress first, or wait for others.
    Outcome<wire::RecordView> nextRecord()
    {
        while (true) {
            const auto answer = m_input.readLine(m_line, monotonicUs() + kIdleUs);
            if (!answer)
                return std::unexpected(answer.error());
            if (*answer == Input::Answer::End)
                return failed("protocol", "the bundle came to no end on standard input");
            if (*answer == Input::Answer::Line)
                break;
            if (!sayProgress())
                return senderGone();
        }
        wire::RecordView record;
        if (!wire::decodeLine(m_line, record, m_fields))
            return failed("protocol", "a line of the bundle is no record: " + m_line.substr(0, 200));
        return record;
    }

    Outcome<void> readManifest()
    {
        while (true) {
            const auto record = nextRecord();
            if (!record)
                return std::unexpected(record.error());
            const auto state = m_reader.take(*record, m_line);
            if (!state)
                return std::unexpected(state.error());
            if (*state == ManifestReader::State::Complete)
                return {};
        }
    }

    Outcome<FillLock> waitForLock()
    {
        const std::int64_t deadline = monotonicUs() + kLockDeadlineUs;
        const std::string folder = m_store.folder() + "/bundles";
        const BundleManifest& manifest = m_reader.manifest();
        auto lock = FillLock::take(folder, manifest.bundle, manifest.sender);
        while (!lock && lock.error().code == "busy" && monotonicUs() < deadline) {
            if (!say("waiting"))
                return senderGone();
            ::usleep(kLockAgainUs);
            lock = FillLock::take(folder, manifest.bundle, manifest.sender);
        }
        return lock;
    }

    [[nodiscard]] std::vector<BundleFile> findNeeded() const
    {
        std::vector<BundleFile> needed;
        std::set<std::string> asked;
        for (const BundleFile& file : files())
            if (!m_store.hasContent(file) && asked.insert(file.hash).second)
                needed.push_back(file);
        return needed;
    }

    void askFor(const std::vector<BundleFile>& needed) const
    {
        for (const BundleFile& file : needed) {
            const Kept kept = m_store.kept(file);
            std::string record;
            wire::Encoder encoder(record);
            encoder.begin("need", wire::kNode, monotonicUs()).field("hash", file.hash);
            if (kept.bytes > 0)
                encoder.field("have", kept.bytes).field("prefix", kept.prefix);
            encoder.end();
            writeAll(m_out, record);
        }
    }

    Outcome<void> receiveContent(const BundleFile& file)
    {
        auto record = nextRecord();
        if (record && record->kind == "from") {
            auto peer = PeerFrames::connect(record->text("addr"), record->text("port"), record->text("token"));
            if (!peer)
                return std::unexpected(peer.error());
            m_peer.emplace(std::move(*peer));
            record = nextRecord();
        }
        if (!record)
            return std::unexpected(record.error());
        const std::int64_t bytes = record->integer("bytes").value_or(-1), from = record->integer("from").value_or(0);
        const bool ofPeer = record->kind == "frame" && m_peer;
        if ((record->kind != "content" && !ofPeer) || record->text("hash") != file.hash || from < 0 || bytes < from)
            return failed("protocol", "expected the content " + file.hash + ", got: " + m_line.substr(0, 200));
        const IncomingContent::Frame frame{static_cast<std::uint64_t>(bytes), static_cast<std::uint64_t>(from),
                                           m_reader.manifest().frames};
        const std::string sha256 = record->text("sha256");
        auto content = IncomingContent::open(m_store, file, frame);
        if (!content)
            return std::unexpected(content.error());
        const auto taken = ofPeer ? m_peer->take(file.hash, frame.bytes, sha256,
                                                 [&](std::string_view piece) { return take(*content, piece); })
                                  : takeFromSender(*content, frame.bytes - frame.from, file.path);
        if (!taken)
            return taken;
        return content->finish();
    }

    Outcome<void> takeFromSender(IncomingContent& content, std::uint64_t left, const std::string& path)
    {
        while (left > 0) {
            const auto awaited = m_input.await(monotonicUs() + kIdleUs);
            if (!awaited)
                return std::unexpected(awaited.error());
            if (*awaited == Input::Answer::Timeout) {
                if (!sayProgress())
                    return senderGone();
                continue;
            }
            const auto piece = m_input.readSome(left);
            if (!piece)
                return std::unexpected(piece.error());
            if (piece->empty())
                return failed("protocol", "the content of " + path + " was cut off");
            if (const auto taken = take(content, *piece); !taken)
                return taken;
            left -= piece->size();
        }
        return {};
    }

    Outcome<void> take(IncomingContent& content, std::string_view piece)
    {
        if (const auto added = content.add(piece); !added)
            return added;
        m_received += piece.size();
        if (monotonicUs() >= m_nextProgressUs)
            sayProgress();
        return {};
    }

    bool sayProgress()
    {
        m_nextProgressUs = monotonicUs() + kProgressUs;
        std::string record;
        wire::Encoder encoder(record);
        encoder.begin("progress", wire::kNode, monotonicUs()).field("bytes", m_received).end();
        return writeAll(m_out, record);
    }

    bool say(std::string_view kind) const
    {
        std::string record;
        wire::Encoder encoder(record);
        encoder.begin(kind, wire::kNode, monotonicUs()).end();
        return writeAll(m_out, record);
    }

    static std::unexpected<Failure> senderGone() { return failed("abandoned", "the sender of the bundle is gone"); }

    ManifestReader m_reader;
    ContentStore m_store;
    Input m_input;
    int m_out;
    std::string m_line;
    std::vector<wire::Field> m_fields;
    std::optional<PeerFrames> m_peer;
    std::uint64_t m_received = 0;
    std::int64_t m_nextProgressUs = 0;
};

int answer(const std::string& bundle, int in, int out, Outcome<void> (Receiving::*work)())
{
    if (!isHash(bundle))
        return answerFailure(out, {"usage", "\"" + bundle + "\" is no bundle's hash"});
    auto store = ContentStore::open();
    if (!store)
        return answerFailure(out, store.error());
    Receiving receiving(bundle, std::move(*store), in, out);
    const auto done = (receiving.*work)();
    return done ? 0 : answerFailure(out, done.error());
}

} // namespace

int runReceive(const std::string& bundle, int in, int out)
{
    return answer(bundle, in, out, &Receiving::run);
}

int runMissing(const std::string& bundle, int in, int out)
{
    return answer(bundle, in, out, &Receiving::askOnly);
}

} // namespace lockstep::agent
