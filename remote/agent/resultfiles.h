// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a run that its user wants back: found by patterns, and only when they are whole.
#pragma once

#include "remote/agent/job.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockstep::agent {

struct ResultFile {
    std::string path; // as the user sees it: inside the working folder, or absolute where the pattern is
    std::string file; // absolute
    std::uint64_t size = 0;
    std::int64_t changedNs = 0;

    bool operator==(const ResultFile&) const = default;
};

class ResultFiles {
public:
    ResultFiles(Job job, std::string runFolder, std::vector<std::string> patterns);

    // Files that the patterns find, that changed since they were last taken(), and that are whole: nobody has them open
    // for writing, and they stood still between this look and the one before.
    [[nodiscard]] std::vector<ResultFile> whole();
    // The run is over: nothing writes any more.
    [[nodiscard]] std::vector<ResultFile> last();
    void taken(const ResultFile& file) { m_taken[file.file] = {file.size, file.changedNs}; }

private:
    struct Stamp {
        std::uint64_t size = 0;
        std::int64_t changedNs = 0;
        bool operator==(const Stamp&) const = default;
    };
    [[nodiscard]] std::vector<ResultFile> changed() const;
    void look(const std::string& top, const std::string& shown, const std::vector<std::string>& patterns,
              std::vector<ResultFile>& found) const;

    Job m_job;
    std::string m_runFolder;
    std::vector<std::string> m_inside;   // patterns inside the working folder
    std::vector<std::string> m_absolute; // patterns with their own top
    std::map<std::string, Stamp> m_taken, m_seen;
};

} // namespace lockstep::agent
