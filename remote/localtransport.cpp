// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/localtransport.h"

#include "remote/argv.h"
#include "remote/localprocess.h"

namespace lockstep {

LocalTransport::LocalTransport(Node node) : m_node(std::move(node)), m_open(std::make_shared<std::stop_source>()) {}

LocalTransport::~LocalTransport()
{
    close();
}

Result<void> LocalTransport::connect(Deadline, std::stop_token)
{
    return {};
}

Result<std::unique_ptr<Process>> LocalTransport::start(const QList<QByteArray>& argv, Deadline, std::stop_token, Lane)
{
    if (auto checked = checkArgv(argv, m_node.name); !checked)
        return std::unexpected(checked.error());
    return LocalProcess::start(argv, m_node.name, m_open.load()->get_token());
}

void LocalTransport::close()
{
    m_open.exchange(std::make_shared<std::stop_source>())->request_stop();
}

QString LocalTransport::signedInWith() const
{
    return QStringLiteral("this machine");
}

} // namespace lockstep
