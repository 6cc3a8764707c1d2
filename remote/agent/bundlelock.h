// SPDX-License-Identifier: GPL-3.0-or-later
// Who fills a bundle, and who runs from it. A home may be shared by several nodes, so both are locks on files beside
// the bundle, which the system gives back however their holder ends.
#pragma once

#include "remote/agent/fd.h"
#include "remote/agent/job.h"
#include "remote/agent/outcome.h"

#include <string>
#include <vector>

namespace lockstep::agent {

// Held while a bundle is filled. Failure busy: another agent does.
class FillLock {
public:
    // `sender`: the desktop's own word for this deploy. An agent on this host that fills for the same sender is one
    // whose link was cut before it could notice: it is ended, and what it kept is taken over.
    [[nodiscard]] static Outcome<FillLock> take(const std::string& bundlesFolder, const std::string& bundle,
                                                const std::string& sender);

    [[nodiscard]] static bool isAnyHeld(const std::string& bundlesFolder);

private:
    explicit FillLock(Fd file) : m_file(std::move(file)) {}

    Fd m_file;
};

// For each bundle that a job starts programs of or copies files from: held by its launch from before the first look at
// them until the supervisor stands, and by that as long as it lives. Record locks (fcntl): a child does not inherit
// them.
class UseLocks {
public:
    // Waits until a removal has come to its end. Failure busy: it does not.
    [[nodiscard]] static Outcome<UseLocks> take(const Job& job);

private:
    std::vector<Fd> m_files;
};

// For removing a bundle: nobody runs from it and nobody fills it, until this goes. Failure busy.
class RemovalLock {
public:
    [[nodiscard]] static Outcome<RemovalLock> take(const std::string& bundlesFolder, const std::string& bundle);

private:
    Fd m_fill, m_use;
};

} // namespace lockstep::agent
