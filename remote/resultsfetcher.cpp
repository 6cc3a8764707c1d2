// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/resultsfetcher.h"

#include "remote/resultsloop.h"

namespace lockstep {

ResultsFetcher::ResultsFetcher(ResultsJob job, QObject* parent) : QObject(parent), m_job(std::move(job)) {}

ResultsFetcher::~ResultsFetcher() = default;

void ResultsFetcher::start()
{
    m_thread = std::jthread([this](std::stop_token stop) {
        Result<void> how;
        {
            ResultsLoop loop(
                m_job, [this](const ResultEntry& entry) { emit fetched(entry); }, stop);
            how = loop.run();
        } // the connection is closed before the owner hears of the end
        if (!stop.stop_requested())
            emit ended(how);
    });
}

} // namespace lockstep
