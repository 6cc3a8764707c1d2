// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundleabout.h"

#include "core/atomicfile.h"
#include "core/tomlreader.h"

#include <QFileInfo>

#include <limits>

namespace lockstep {

Result<BundleAbout> BundleAbout::parse(const QByteArray& toml, const QString& origin)
{
    const Result<TomlValue> document = parseToml(toml, origin);
    if (!document)
        return std::unexpected(document.error());
    TomlReader reader(*document, origin);
    BundleAbout about;
    about.torch = reader.text("torch");
    about.cuda = reader.text("cuda");
    about.nccl = reader.text("nccl");
    about.glibc = reader.text("glibc");
    about.arch = reader.text("arch");
    about.cudaFiles = reader.texts("cuda_files");
    about.packages = reader.texts("packages");
    about.cudaBytes = reader.integer("cuda_bytes", 0, 0, std::numeric_limits<qint64>::max());
    if (const Result<void> read = reader.finish(); !read)
        return std::unexpected(read.error());
    return about;
}

Result<BundleAbout> BundleAbout::load(const QString& bundleFolder)
{
    const QString path = bundleFolder + QLatin1Char('/') + QLatin1String(kBundleAboutFile);
    if (!QFileInfo::exists(path))
        return BundleAbout();
    const Result<QByteArray> bytes = readWhole(path);
    if (!bytes)
        return std::unexpected(bytes.error());
    return parse(*bytes, path);
}

} // namespace lockstep
