// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sharedtransports.h"

#include "remote/iothread.h"
#include "remote/localtransport.h"
#include "remote/sshtransport.h"

#include <map>

namespace lockstep {

namespace {

using Used = std::map<QString, std::weak_ptr<Transport>>; // by the node's name

} // namespace

TransportFactory sharedTransports(IoThread& io, SshSettings settings)
{
    return [&io, settings = std::move(settings), used = std::make_shared<Used>()](const Node& node) {
        return io.ask([&]() -> std::shared_ptr<Transport> { // the one thread that touches `used`
            std::erase_if(*used, [](const auto& one) { return one.second.expired(); });
            std::weak_ptr<Transport>& place = (*used)[node.name];
            if (auto transport = place.lock(); transport && transport->node().isReachedLike(node))
                return transport;
            std::shared_ptr<Transport> made;
            if (node.local)
                made = std::make_shared<LocalTransport>(node);
            else
                made = std::make_shared<SshTransport>(node, io, settings);
            place = made;
            return made;
        });
    };
}

} // namespace lockstep
