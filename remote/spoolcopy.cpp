// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/spoolcopy.h"

#include <stop_token>

namespace lockstep {

namespace {

constexpr qint64 kPieceBytes = 4 << 20;

std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

} // namespace

SpoolCopy::SpoolCopy(StoreThread& store, const Origin& origin)
    : m_store(store), m_origin(origin), m_decoder(std::make_shared<RunDecoder>(origin.nodeIndex, origin.clockOffsetUs)),
      m_offset(origin.from)
{
    m_decoder->setStartWallUs(origin.startWallUs);
    m_store.post([decoder = m_decoder, origin](RunStore& runs) {
        decoder->begin(origin.from, runs.clocks(origin.run, origin.node));
    });
}

SpoolCopy::~SpoolCopy() = default;

void SpoolCopy::setClockOffsetUs(qint64 offsetUs)
{
    if (std::exchange(m_origin.clockOffsetUs, offsetUs) != offsetUs)
        m_store.post([decoder = m_decoder, offsetUs](RunStore&) { decoder->setClockOffsetUs(offsetUs); });
}

Result<bool> SpoolCopy::measured(const ClockReading& reading)
{
    const SpoolClock clock{m_offset, reading.monotonicUs, reading.ourWallUs, reading.errorUs, reading.bootId};
    if (!clock.isNewsAfter(m_clock ? &*m_clock : nullptr))
        return false;
    auto kept = m_store
                    .ask([origin = m_origin, decoder = m_decoder, clock](RunStore& runs) {
                        auto appended = runs.append(origin.run, origin.node, clock);
                        if (appended) // else a replay would tell other times
                            decoder->measured(clock);
                        return appended;
                    })
                    .get();
    if (!kept)
        return std::unexpected(kept.error());
    m_clock = clock;
    return true;
}

Result<void> SpoolCopy::catchUp(const std::function<void(RunUpdate)>& decoded, std::stop_token stop)
{
    while (!stop.stop_requested()) {
        auto piece = m_store
                         .ask([origin = m_origin, decoder = m_decoder,
                               from = m_offset](RunStore& store) -> Result<std::pair<qint64, RunUpdate>> {
                             const auto bytes = store.readSpool(origin.run, origin.node, from, kPieceBytes);
                             if (!bytes)
                                 return std::unexpected(bytes.error());
                             if (bytes->isEmpty())
                                 return std::pair(qint64{0}, RunUpdate{});
                             return std::pair(qint64{bytes->size()}, decoder->feed(view(*bytes)));
                         })
                         .get();
        if (!piece)
            return std::unexpected(piece.error());
        if (piece->first == 0)
            break;
        m_offset += piece->first;
        piece->second.spoolBytes = m_offset;
        decoded(std::move(piece->second));
    }
    return {};
}

Result<RunUpdate> SpoolCopy::append(const QByteArray& bytes)
{
    auto update = m_store
                      .ask([origin = m_origin, decoder = m_decoder, from = m_offset,
                            bytes](RunStore& store) -> Result<RunUpdate> {
                          if (auto appended = store.append(origin.run, origin.node, from, view(bytes)); !appended)
                              return std::unexpected(appended.error());
                          return decoder->feed(view(bytes));
                      })
                      .get();
    if (update) {
        m_offset += bytes.size();
        update->spoolBytes = m_offset;
    }
    return update;
}

} // namespace lockstep
