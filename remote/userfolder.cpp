// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/userfolder.h"

namespace lockstep {

Result<UserFolder> UserFolder::read(const QString& folder, const QString& cacheFolder, std::stop_token stop)
{
    if (folder.isEmpty())
        return UserFolder();
    auto sent = SentFolder::read(folder);
    if (!sent)
        return std::unexpected(sent.error());
    auto bundle = Bundle::read(folder, sent->paths, cacheFolder);
    if (!bundle)
        return std::unexpected(bundle.error());
    auto contents = std::make_shared<const CompressedContents>(*bundle, cacheFolder, std::move(stop));
    return UserFolder{std::move(*sent), std::move(*bundle), std::move(contents)};
}

} // namespace lockstep
