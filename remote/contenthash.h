// SPDX-License-Identifier: GPL-3.0-or-later
// XXH3-128 of contents, as 32 hex digits: the names of bundles, contents and agents. Against accidents, not against
// attackers.
#pragma once

#include "core/error.h"

#include <QByteArray>

#include <limits>
#include <memory>
#include <string_view>

namespace lockstep {

class ContentHash {
public:
    ContentHash();
    ~ContentHash();
    void add(std::string_view bytes);
    [[nodiscard]] QByteArray hex() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

struct HashedFile {
    QByteArray hex;
    qint64 size = 0;
};
// At most `limit` bytes from its start.
[[nodiscard]] Result<HashedFile> hashFile(const QString& path, qint64 limit = std::numeric_limits<qint64>::max());

} // namespace lockstep
