// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/deployer.h"

#include "remote/contentsending.h"
#include "remote/pause.h"

#include <QRandomGenerator>

namespace lockstep {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kCutTime = 5min; // without one byte: a link that heals later is a new deploy, which goes on all the same
constexpr auto kMostPause = 2s;

QByteArray newSender()
{
    QByteArray word;
    for (int i = 0; i < 2; ++i)
        word += QByteArray::number(QRandomGenerator::system()->generate64(), 16);
    return word;
}

QString megabytes(double bytes)
{
    const double mb = bytes / 1e6;
    return QString::number(mb, 'f', mb < 10 ? 1 : 0);
}

class Deploying {
public:
    Deploying(NodeLink& link, const DeployOrder& order, std::stop_token stop)
        : m_link(link), m_order(order), m_stop(std::move(stop))
    {
    }

    Result<Deployed> run()
    {
        const auto start = Clock::now();
        for (;;) {
            ContentSending sending(m_link, m_order, m_sender, m_stop);
            const auto path = sending.run();
            m_deployed.filesSent += sending.filesSent();
            m_deployed.bytesSent += sending.bytesSent();
            m_deployed.bytesReceived += sending.bytesReceived();
            if (path) {
                m_deployed.path = *path;
                m_deployed.seconds = std::chrono::duration<double>(Clock::now() - start).count();
                return m_deployed;
            }
            if (sending.bytesSent() > m_manifestBytes)
                m_heard = Clock::now();
            if (auto again = mayGoOn(path.error()); !again)
                return std::unexpected(again.error());
        }
    }

private:
    // Nothing: try again. A failure that no second try cures is the answer.
    Result<void> mayGoOn(const Error& error)
    {
        if (m_stop.stop_requested())
            return std::unexpected(error);
        if (error.code == ErrorCode::Agent)
            return agentIsBack() ? Result<void>() : std::unexpected(error);
        if (!worthAnotherTry(error.code))
            return std::unexpected(error);
        ++m_deployed.cuts;
        if (m_order.progressed)
            m_order.progressed({.event = QStringLiteral("the link is cut; going on when it is back")});
        return reconnect(error);
    }

    Result<void> reconnect(const Error& cause)
    {
        Pause pause;
        BackOff backOff;
        for (;;) {
            if (Clock::now() - m_heard > kCutTime)
                return std::unexpected(cause);
            pause.wait(std::min<std::chrono::milliseconds>(backOff.next(), kMostPause), m_stop);
            if (m_stop.stop_requested())
                return failure(ErrorCode::Stopped, QStringLiteral("stopped while the link was cut"));
            auto link = openNode(m_link.transport, m_order.agent, m_stop);
            if (link) {
                m_link.agent = link->agent;
                return {};
            }
            if (!worthAnotherTry(link.error().code))
                return std::unexpected(link.error());
        }
    }

    // The agent's program may be deleted under us: whoever cleans ~/.cache does not ask.
    bool agentIsBack()
    {
        if (m_agentReplaced)
            return false;
        m_agentReplaced = true;
        const auto link = openNode(m_link.transport, m_order.agent, m_stop);
        if (!link || link->agent.bytesSent == 0)
            return false;
        m_link.agent = link->agent;
        return true;
    }

    NodeLink& m_link;
    const DeployOrder& m_order;
    std::stop_token m_stop;
    const QByteArray m_sender = newSender();
    const qint64 m_manifestBytes = m_order.bundle.manifest(m_sender).size() + 1024;
    Deployed m_deployed;
    Clock::time_point m_heard = Clock::now();
    bool m_agentReplaced = false;
};

} // namespace

QString DeployProgress::words() const
{
    if (!event.isEmpty())
        return event;
    if (of == 0)
        return QStringLiteral("nothing to send");
    QString text = QStringLiteral("sending %1 of %2 MB")
                       .arg(megabytes(static_cast<double>(bytes)), megabytes(static_cast<double>(of)));
    if (bytesPerSecond > 0)
        text +=
            QStringLiteral(", %1 MB/s, %2 s left").arg(megabytes(bytesPerSecond), QString::number(secondsLeft, 'f', 0));
    return text;
}

Result<Deployed> deployBundle(NodeLink& link, const DeployOrder& order, std::stop_token stop)
{
    return Deploying(link, order, std::move(stop)).run();
}

} // namespace lockstep
