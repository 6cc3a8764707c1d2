// SPDX-License-Identifier: GPL-3.0-or-later
// A failure in use, as a value: a code for the desktop, a sentence for people.
// Codes: usage, bad_job, exists, busy, not_found, disk, io, protocol, abandoned, stopped, lost, offset, left.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace lockstep::agent {

struct Failure {
    std::string code;
    std::string text;

    bool operator==(const Failure&) const = default;
};

template <typename T>
using Outcome = std::expected<T, Failure>;

[[nodiscard]] inline std::unexpected<Failure> failed(std::string code, std::string text)
{
    return std::unexpected(Failure{std::move(code), std::move(text)});
}

// "can't WHAT: No such file or directory"
[[nodiscard]] std::unexpected<Failure> failedSystemCall(const std::string& what);

} // namespace lockstep::agent
