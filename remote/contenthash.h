// SPDX-License-Identifier: GPL-3.0-or-later
// XXH3-128 of contents, as 32 hex digits: the names of bundles, contents and agents. Against accidents, not against
// attackers.
#pragma once

#include "core/error.h"

#include <QByteArray>

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
[[nodiscard]] Result<HashedFile> hashFile(const QString& path);

} // namespace lockstep
