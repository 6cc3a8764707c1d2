// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/failure.h"

namespace lockstep::trainer {

const char* meaning(ExitCode code)
{
    switch (code) {
    case ExitCode::Ok:
        return "trained to the end";
    case ExitCode::Unexpected:
        return "anything else";
    case ExitCode::Options:
        return "a wrong option or environment variable";
    case ExitCode::Device:
        return "the device or backend asked for is not there";
    case ExitCode::Data:
        return "the data cannot be read";
    case ExitCode::Checkpoint:
        return "a checkpoint cannot be read or written";
    case ExitCode::Rendezvous:
        return "the ranks did not find one another in time";
    case ExitCode::LostPeer:
        return "another rank is gone or does not answer";
    case ExitCode::NanLoss:
        return "the loss is not finite (--nan stop), or the gradients never were";
    case ExitCode::OutOfMemory:
        return "memory ran out, on the GPU or on the machine";
    case ExitCode::Mismatch:
        return "the ranks differ: another program, options, data or parameters, or a clock";
    case ExitCode::Output:
        return "a file that was asked for besides checkpoints cannot be written";
    case ExitCode::Terminated:
        return "ended by SIGTERM after the current step";
    }
    return "unknown";
}

} // namespace lockstep::trainer
