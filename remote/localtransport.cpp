// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/localtransport.h"

#include "remote/argv.h"
#include "remote/localprocess.h"

namespace lockstep {

LocalTransport::LocalTransport(Node node) : m_node(std::move(node)) {}

LocalTransport::~LocalTransport()
{
    m_open.request_stop();
}

Result<void> LocalTransport::connect(Deadline, std::stop_token)
{
    return {};
}

Result<std::unique_ptr<Process>> LocalTransport::start(const QList<QByteArray>& argv, Deadline, std::stop_token, Lane)
{
    if (auto checked = checkArgv(argv, m_node.name); !checked)
        return std::unexpected(checked.error());
    return LocalProcess::start(argv, m_node.name, m_open.get_token());
}

QString LocalTransport::signedInWith() const
{
    return QStringLiteral("this machine");
}

} // namespace lockstep
