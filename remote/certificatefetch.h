// SPDX-License-Identifier: GPL-3.0-or-later
// The certificate that a server shows for its host key. libssh 0.10 does not negotiate host certificates, so a
// connection of its own gets as far as the server's answer in the key exchange (RFC 5656), which holds it in clear, and
// is dropped. Nothing of that answer is trusted: a certificate proves itself by its signature, and the server must then
// show the certified key in the connection that counts. Any worker thread.
#pragma once

#include "remote/descriptor.h"
#include "remote/transport.h"

namespace lockstep {

// Empty: the server has none. ConnectionLost: it hung up before it said anything.
[[nodiscard]] Result<QByteArray> fetchHostCertificate(const Descriptor& socket, const QString& node, Deadline deadline,
                                                      const std::stop_token& stop);

} // namespace lockstep
