// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/needsperson.h"

namespace lockstep {

bool needsPerson(NodePhase phase)
{
    switch (phase) {
    case NodePhase::UnknownHostKey:
    case NodePhase::HostKeyChanged:
    case NodePhase::NeedsPassphrase:
    case NodePhase::AuthFailed:
        return true;
    case NodePhase::Unknown:
    case NodePhase::Connecting:
    case NodePhase::Ready:
    case NodePhase::Unreachable:
    case NodePhase::Failed:
        return false;
    }
    return false;
}

} // namespace lockstep
