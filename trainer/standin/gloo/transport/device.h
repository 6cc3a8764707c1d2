// SPDX-License-Identifier: GPL-3.0-or-later
// Stand-in: a device is only ever held by shared_ptr.
#pragma once

namespace gloo::transport {
class Device;
}
