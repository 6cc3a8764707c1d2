// SPDX-License-Identifier: GPL-3.0-or-later
// A failure in use, as a value: a code for programs, a sentence for people (what was tried, on which node, what to do).
#pragma once

#include <QString>

#include <expected>

namespace lockstep {

enum class ErrorCode {
    BadInput,        // a file, an option, a selection that cannot be meant
    NotFound,        // no such node, run, file
    Io,              // this machine's files
    Unreachable,     // no answer from the address
    Timeout,         // a deadline passed
    HostKeyUnknown,  // a person has to look at the fingerprint
    HostKeyChanged,  // refused
    AuthFailed,      // the server took none of the keys
    NeedsPassphrase, // the key is locked
    ConnectionLost,
    Agent,    // the agent answered with an error
    Protocol, // bytes that make no sense
    Busy,     // a device or a run is held by somebody
    Stopped,  // on request
};

[[nodiscard]] const char* toString(ErrorCode code); // "bad_input" ...: part of the JSON interface

struct Error {
    ErrorCode code = ErrorCode::BadInput;
    QString text;
    QString node; // empty: none in particular

    bool operator==(const Error&) const = default;
};

template <typename T>
using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> failure(ErrorCode code, QString text, QString node = {})
{
    return std::unexpected(Error{code, std::move(text), std::move(node)});
}

} // namespace lockstep
