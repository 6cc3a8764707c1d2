// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sharedsession.h"

namespace lockstep {

namespace {

constexpr std::chrono::seconds kProbeTime{1}; // for a session that was silent to show that it is alive

bool answers(IoThread& io, const std::shared_ptr<SshSession>& session, const std::stop_token& stop)
{
    const auto there = std::make_shared<OnceAnswer<bool>>();
    auto future = there->future();
    io.post([session, there] { session->probe(there); });
    return await(future, Deadline::in(kProbeTime), stop, [&io, session, there](ErrorCode code) {
        io.post([session, there, code] {
            if (there->give(false) && code == ErrorCode::Timeout)
                session->doubt();
        });
    });
}

} // namespace

std::shared_ptr<SshSession> heardAgain(const MakeOnce<SshSession>& place)
{
    auto before = place.value();
    return before && before->usable() ? before : nullptr;
}

Result<std::shared_ptr<SshSession>> sharedSession(IoThread& io, const SessionPlace& place, Deadline& deadline,
                                                  const std::stop_token& stop)
{
    for (bool replaced = false;; replaced = true) {
        bool made = false;
        const auto make = [&] {
            made = true;
            return place.connect();
        };
        auto shared = shareOrMake<SshSession>(
            io, place.at, [](const SshSession& session) { return session.usable(); }, make, deadline, stop, place.name);
        if (!shared || answers(io, *shared, stop) || stop.stop_requested() || passed(deadline))
            return shared;
        const auto lost = io.ask([&] { return (*shared)->lost(); });
        if (replaced || (made && lost))
            return std::unexpected(
                lost.value_or(Error{ErrorCode::ConnectionLost,
                                    QStringLiteral("%1 stands, and nothing comes over it.").arg(place.name),
                                    {}}));
    }
}

} // namespace lockstep
