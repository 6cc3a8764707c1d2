// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/bundlemanifest.h"

namespace lockstep::agent {

namespace {

constexpr std::size_t kMaxFiles = 200'000;
constexpr std::size_t kShownBytes = 200;
constexpr std::size_t kMaxSenderBytes = 64;

} // namespace

Outcome<ManifestReader::State> ManifestReader::take(const wire::RecordView& record, const std::string& line)
{
    Outcome<void> taken;
    if (record.kind == "end")
        return State::Complete;
    if (record.kind == "bundle") {
        if (record.text("hash") != m_manifest.bundle)
            return failed("protocol",
                          "the manifest is of the bundle " + record.text("hash") + ", not " + m_manifest.bundle);
        m_manifest.sender = record.text("sender").substr(0, kMaxSenderBytes);
        if (m_manifest.sender.find_first_not_of("0123456789abcdef") != std::string::npos)
            m_manifest.sender.clear();
        m_manifest.frames = record.integer("keep_frames") == 1 ? FrameAfter::Keep : FrameAfter::Drop;
        m_manifest.torch = record.text("torch");
        m_manifest.torchVersion = record.text("torch_version");
        if (!m_manifest.torch.empty() &&
            (m_manifest.torch[0] != '/' || m_manifest.torch.find('\0') != std::string::npos))
            return failed("protocol",
                          "the folder of torch is no absolute path: " + m_manifest.torch.substr(0, kShownBytes));
    } else if (record.kind == "file") {
        taken = takeFile(record, line);
    }
    if (!taken)
        return std::unexpected(taken.error());
    return State::More;
}

Outcome<void> ManifestReader::takeFile(const wire::RecordView& record, const std::string& line)
{
    BundleFile file;
    file.path = record.text("path");
    file.hash = record.text("hash");
    const std::int64_t size = record.integer("size").value_or(-1);
    file.size = static_cast<std::uint64_t>(size);
    file.program = record.text("mode") == "755";
    if (!isBundlePath(file.path) || !isHash(file.hash) || size < 0)
        return failed("protocol", "a file of the bundle can't be: " + line.substr(0, kShownBytes));
    if (m_manifest.files.size() == kMaxFiles)
        return failed("protocol", "the bundle has more than " + std::to_string(kMaxFiles) + " files");
    m_manifest.files.push_back(std::move(file));
    return {};
}

} // namespace lockstep::agent
