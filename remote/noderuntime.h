// SPDX-License-Identifier: GPL-3.0-or-later
// What a node runs on: asked there, and put in place. Worker thread.
#pragma once

#include "core/runtimechoice.h"
#include "remote/deployer.h"
#include "remote/userfolder.h"

#include <memory>

namespace lockstep {

// The program that is sent, read once for all nodes.
struct Program {
    Bundle bundle;
    BundleAbout about;
    std::shared_ptr<const CompressedContents> contents;
    QString cacheFolder;
    AgentFile agent;

    [[nodiscard]] static Result<Program> read(const RunParts& parts, std::stop_token stop);
};

// Asks the node for its torches where GPUs are used, and this machine for one where the node can't get it.
[[nodiscard]] Result<RuntimeChoice> askRuntime(const NodeLink& link, const NodeFacts& facts, const Program& program,
                                               DeviceUse use, std::stop_token stop);

// Where the bundle will lie on the node: its folder is named by its content, so that it is known before it is sent.
// Empty: not known, because a torch that is sent decides.
[[nodiscard]] QString runtimeFolder(const Program& program, const RuntimeChoice& choice, const NodeFacts& facts);

// What a deploy would send now, nothing sent: "98 MB to send", "nothing to send". Bytes are those that are compressed
// already, and else "up to" the bytes of the files.
struct ToSend {
    qint64 bytes = 0;
    bool exact = true;
    [[nodiscard]] QString words() const;
};
[[nodiscard]] Result<ToSend> askToSend(const NodeLink& link, const Program& program, const RuntimeChoice& choice,
                                       std::stop_token stop);

[[nodiscard]] Result<Deployed> deployRuntime(NodeLink& link, const Program& program, const RuntimeChoice& choice,
                                             const std::function<void(const QString&)>& progressed,
                                             std::stop_token stop);

// The user's folder, the same way.
[[nodiscard]] Result<Deployed> deployFolder(NodeLink& link, const UserFolder& folder, const Program& program,
                                            const std::function<void(const QString&)>& progressed,
                                            std::stop_token stop);

} // namespace lockstep
