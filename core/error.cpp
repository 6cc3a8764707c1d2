// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"

namespace lockstep {

const char* toString(ErrorCode code)
{
    switch (code) {
    case ErrorCode::BadInput:
        return "bad_input";
    case ErrorCode::NotFound:
        return "not_found";
    case ErrorCode::Io:
        return "io";
    case ErrorCode::Unreachable:
        return "unreachable";
    case ErrorCode::Timeout:
        return "timeout";
    case ErrorCode::HostKeyUnknown:
        return "host_key_unknown";
    case ErrorCode::HostKeyChanged:
        return "host_key_changed";
    case ErrorCode::AuthFailed:
        return "auth_failed";
    case ErrorCode::NeedsPassphrase:
        return "needs_passphrase";
    case ErrorCode::ConnectionLost:
        return "connection_lost";
    case ErrorCode::Agent:
        return "agent";
    case ErrorCode::Protocol:
        return "protocol";
    case ErrorCode::Busy:
        return "busy";
    case ErrorCode::Stopped:
        return "stopped";
    }
    return "unknown";
}

} // namespace lockstep
