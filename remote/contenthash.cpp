// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/contenthash.h"

#include <xxhash.h>

#include <QFile>

#include <algorithm>

namespace lockstep {

namespace {
constexpr qint64 kPieceBytes = 1 << 20;

struct StateEnd {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};
} // namespace

struct ContentHash::State {
    std::unique_ptr<XXH3_state_t, StateEnd> xxh{XXH3_createState()};
};

ContentHash::ContentHash() : m_state(std::make_unique<State>())
{
    XXH3_128bits_reset(m_state->xxh.get());
}

ContentHash::~ContentHash() = default;

void ContentHash::add(std::string_view bytes)
{
    XXH3_128bits_update(m_state->xxh.get(), bytes.data(), bytes.size());
}

QByteArray ContentHash::hex() const
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(m_state->xxh.get()));
    return QByteArray(reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest).toHex();
}

Result<HashedFile> hashFile(const QString& path, qint64 limit)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorCode::Io, QStringLiteral("%1 cannot be read: %2").arg(path, file.errorString()));
    ContentHash hash;
    HashedFile result;
    QByteArray piece(kPieceBytes, Qt::Uninitialized);
    for (;;) {
        const qint64 got = file.read(piece.data(), std::min<qint64>(piece.size(), limit - result.size));
        if (got < 0)
            return failure(ErrorCode::Io, QStringLiteral("%1 cannot be read: %2").arg(path, file.errorString()));
        if (got == 0)
            break;
        hash.add({piece.constData(), static_cast<std::size_t>(got)});
        result.size += got;
    }
    result.hex = hash.hex();
    return result;
}

} // namespace lockstep
