// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/remote/madedeploy.h"

#include <QFile>

namespace lockstep::test {

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writeFile(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("%s: %s", qPrintable(path), qPrintable(file.errorString()));
}

Result<NodeLink> open(const MadeNodes& made, int index)
{
    const RunParts parts = made.parts();
    const auto agent = AgentFile::load(parts.agentFile);
    if (!agent)
        return std::unexpected(agent.error());
    return openNode(parts.transports, made.nodes()[index], *agent, {});
}

Result<Bundle> readBundle(const MadeNodes& made)
{
    return Bundle::read(made.bundleFolder(), made.parts().cacheFolder);
}

} // namespace lockstep::test
