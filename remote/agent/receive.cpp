// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/receive.h"

#include "core/wire/decoder.h"
#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/contentstore.h"
#include "remote/agent/input.h"

#include <algorithm>
#include <set>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::size_t kMaxFiles = 200'000;
constexpr std::int64_t kProgressUs = 250'000;
constexpr useconds_t kLockAgainUs = 200'000;
constexpr std::int64_t kLockDeadlineUs = 1800'000'000; // another node fills the shared home over a slow link

class Receiving {
public:
    Receiving(std::string bundle, ContentStore store, int in, int out)
        : m_bundle(std::move(bundle)), m_store(std::move(store)), m_input(in), m_out(out)
    {
    }

    [[nodiscard]] Outcome<void> run()
    {
        if (const auto read = readManifest(); !read)
            return read;
        auto lock = waitForLock();
        if (!lock)
            return std::unexpected(lock.error());
        const bool whole = m_store.hasBundle(m_bundle, m_files);
        const std::vector<BundleFile> needed = whole ? std::vector<BundleFile>() : askNeeded();
        say("end");
        for (const BundleFile& file : needed) {
            if (const auto received = receiveContent(file); !received)
                return received;
        }
        if (const auto ended = expectEnd(); !ended)
            return ended;
        if (!whole) {
            if (const auto linked = m_store.link(m_bundle, m_files); !linked)
                return linked;
        }
        std::string record;
        wire::Encoder encoder(record);
        encoder.begin("done", wire::kNode, monotonicUs()).field("path", m_store.bundlePath(m_bundle)).end();
        writeAll(m_out, record);
        return {};
    }

private:
    Outcome<wire::RecordView> nextRecord()
    {
        const auto answer = m_input.readLine(m_line);
        if (!answer)
            return std::unexpected(answer.error());
        if (*answer != Input::Answer::Line)
            return failed("protocol", "the bundle came to no end on standard input");
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
            if (record->kind == "end")
                return {};
            if (record->kind == "bundle" && record->text("hash") != m_bundle)
                return failed("protocol",
                              "the manifest is of the bundle " + record->text("hash") + ", not " + m_bundle);
            if (record->kind != "file")
                continue;
            BundleFile file;
            file.path = record->text("path");
            file.hash = record->text("hash");
            const std::int64_t size = record->integer("size").value_or(-1);
            file.size = static_cast<std::uint64_t>(size);
            file.program = record->text("mode") == "755";
            if (!isBundlePath(file.path) || !isHash(file.hash) || size < 0)
                return failed("protocol", "a file of the bundle can't be: " + m_line.substr(0, 200));
            if (m_files.size() == kMaxFiles)
                return failed("protocol", "the bundle has more than " + std::to_string(kMaxFiles) + " files");
            m_files.push_back(std::move(file));
        }
    }

    Outcome<Fd> waitForLock()
    {
        const std::int64_t deadline = monotonicUs() + kLockDeadlineUs;
        auto lock = m_store.lockBundle(m_bundle);
        while (!lock && lock.error().code == "busy" && monotonicUs() < deadline) {
            if (!say("waiting"))
                return failed("abandoned", "the sender of the bundle is gone");
            ::usleep(kLockAgainUs);
            lock = m_store.lockBundle(m_bundle);
        }
        return lock;
    }

    std::vector<BundleFile> askNeeded()
    {
        std::vector<BundleFile> needed;
        std::set<std::string> asked;
        for (const BundleFile& file : m_files) {
            if (m_store.hasContent(file) || !asked.insert(file.hash).second)
                continue;
            needed.push_back(file);
            std::string record;
            wire::Encoder encoder(record);
            encoder.begin("need", wire::kNode, monotonicUs()).field("hash", file.hash).end();
            writeAll(m_out, record);
        }
        return needed;
    }

    Outcome<void> receiveContent(const BundleFile& file)
    {
        const auto record = nextRecord();
        if (!record)
            return std::unexpected(record.error());
        const std::int64_t bytes = record->integer("bytes").value_or(-1);
        if (record->kind != "content" || record->text("hash") != file.hash || bytes < 0)
            return failed("protocol", "expected the content " + file.hash + ", got: " + m_line.substr(0, 200));
        auto content = IncomingContent::open(m_store, file);
        if (!content)
            return std::unexpected(content.error());
        for (auto left = static_cast<std::size_t>(bytes); left > 0;) {
            const auto piece = m_input.readSome(left);
            if (!piece)
                return std::unexpected(piece.error());
            if (piece->empty())
                return failed("protocol", "the content of " + file.path + " was cut off");
            if (const auto added = content->add(*piece); !added)
                return added;
            left -= piece->size();
            m_received += piece->size();
            progress();
        }
        return content->finish();
    }

    Outcome<void> expectEnd()
    {
        const auto record = nextRecord();
        if (!record)
            return std::unexpected(record.error());
        if (record->kind != "end")
            return failed("protocol", "expected the end of the bundle, got: " + m_line.substr(0, 200));
        return {};
    }

    void progress()
    {
        const std::int64_t nowUs = monotonicUs();
        if (nowUs < m_nextProgressUs)
            return;
        m_nextProgressUs = nowUs + kProgressUs;
        std::string record;
        wire::Encoder encoder(record);
        encoder.begin("progress", wire::kNode, nowUs).field("bytes", m_received).end();
        writeAll(m_out, record);
    }

    bool say(std::string_view kind) const
    {
        std::string record;
        wire::Encoder encoder(record);
        encoder.begin(kind, wire::kNode, monotonicUs()).end();
        return writeAll(m_out, record);
    }

    std::string m_bundle;
    ContentStore m_store;
    Input m_input;
    int m_out;
    std::string m_line;
    std::vector<wire::Field> m_fields;
    std::vector<BundleFile> m_files;
    std::uint64_t m_received = 0;
    std::int64_t m_nextProgressUs = 0;
};

} // namespace

int runReceive(const std::string& bundle, int in, int out)
{
    if (!isHash(bundle))
        return answerFailure(out, {"usage", "\"" + bundle + "\" is no bundle's hash"});
    auto store = ContentStore::open();
    if (!store)
        return answerFailure(out, store.error());
    const auto received = Receiving(bundle, std::move(*store), in, out).run();
    return received ? 0 : answerFailure(out, received.error());
}

} // namespace lockstep::agent
