// SPDX-License-Identifier: GPL-3.0-or-later
// What every command and the window are given: how nodes are reached, what is sent to them, where runs are kept.
#pragma once

#include "core/runstore.h"
#include "remote/iothread.h"
#include "remote/nodewatch.h"
#include "remote/questionboard.h"
#include "remote/sshsettings.h"

#include <functional>
#include <memory>
#include <stop_token>

namespace lockstep {

class Desk {
public:
    // `questions`: where connections ask the person, if there is one to ask; outlives the desk.
    explicit Desk(DataFolder dataFolder, QuestionBoard* questions = nullptr,
                  SshSettings ssh = SshSettings::fromEnvironment());

    DataFolder folder;
    RunParts parts;
    HostKeyAcceptor acceptHostKey;
    // What ssh_config asks for of this node that is not followed, a sentence each; empty also where it can't be read.
    std::function<QStringList(const Node&, const std::stop_token&)> unusedSshOptions;
    QuestionBoard* questions;

private:
    std::unique_ptr<IoThread> m_io; // outlives every transport that the factories above have made
};

// $LOCKSTEP_BUNDLE, else bundle-cpu/ beside the folder of the running program.
[[nodiscard]] QString standardBundleFolder();

} // namespace lockstep
