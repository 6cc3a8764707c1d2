// SPDX-License-Identifier: GPL-3.0-or-later
// Where the checkpoints of a run lie, and which of them stay:
//   FOLDER/step-000001200.pt ...   one for each time it was saved; the last K of them are kept
//   FOLDER/best.pt                 the same file as the one with the lowest test loss (a hard link), kept beyond the K
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::trainer {

struct CheckpointName {
    std::int64_t step = 0;
    std::string path;

    bool operator==(const CheckpointName&) const = default;
};

// All throw Failure(Checkpoint).
class CheckpointFolder {
public:
    // keep: how many are kept, 0: all.
    CheckpointFolder(std::string path, std::int64_t keep);

    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] std::string fileOf(std::int64_t step) const;
    [[nodiscard]] std::string best() const;
    [[nodiscard]] std::vector<CheckpointName> list() const; // from the lowest step to the highest; empty without folder

    void make();                        // with its parents; then it can be written into, and no leftovers lie there
    void takeOver(std::int64_t newest); // those up to this step are this run's: they count, and go, with its own
    void wasWritten(std::int64_t step); // removes those beyond the last K
    void setBest(std::int64_t step);    // one that was written

private:
    std::string m_path;
    std::int64_t m_keep;
    std::vector<CheckpointName> m_own; // in the order in which they were written
};

} // namespace lockstep::trainer
