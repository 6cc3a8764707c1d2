// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/follower.h"

#include "remote/followloop.h"

namespace lockstep {

Follower::Follower(FollowJob job, QObject* parent) : QObject(parent), m_job(std::move(job)) {}

Follower::~Follower() = default;

void Follower::start()
{
    m_thread = std::jthread([this](std::stop_token stop) {
        std::optional<FollowEnd> end;
        {
            FollowLoop loop(
                m_job,
                {[this](RunUpdate update) { emit updated(std::make_shared<const RunUpdate>(std::move(update))); },
                 [this](const LinkReport& report) { emit linkChanged(report); }},
                stop);
            end = loop.run();
        } // the connection is closed before the owner hears of the end
        if (end)
            emit ended(*end);
    });
}

} // namespace lockstep
