// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/exportrun.h"

#include "core/atomicfile.h"
#include "core/csvexport.h"
#include "ui/plots/runpicture.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <functional>

namespace lockstep {
namespace {

constexpr QSize kPictureSize(1280, 800);

Error cannotWrite(const QString& path, const QFileDevice& file)
{
    return {ErrorCode::Io, QStringLiteral("Cannot write %1: %2.").arg(path, file.errorString()), {}};
}

// A pipe or a device is written to; in a file's place comes a new one when it is whole.
Result<void> save(const QString& path, const std::function<Result<void>(QIODevice&)>& write)
{
    const QFileInfo target(path);
    const bool inPlace = target.exists() && !target.isFile() && !target.isDir();
    QSaveFile aside(path);
    QFile direct(path);
    QFileDevice& file = inPlace ? static_cast<QFileDevice&>(direct) : aside;
    if (!file.open(QIODevice::WriteOnly))
        return std::unexpected(cannotWrite(path, file));
    if (auto written = write(file); !written)
        return written;
    if (inPlace ? !direct.flush() : !commitWhole(aside))
        return std::unexpected(cannotWrite(path, file));
    return {};
}

} // namespace

Result<void> writeTable(const RunData& data, const QString& format, const QString& path)
{
    const CsvForm form = format == QLatin1String("csv-wide") ? CsvForm::Wide : CsvForm::Long;
    return save(path, [&](QIODevice& out) { return writeCsv(data, form, out); });
}

QImage pictureOf(ui::Theme& theme, const RunData& data)
{
    return ui::renderRunPlots(theme, data, kPictureSize);
}

Result<void> writePicture(const QImage& picture, const QString& path)
{
    return save(path, [&](QIODevice& out) -> Result<void> {
        if (!picture.save(&out, "PNG"))
            return failure(ErrorCode::Io,
                           QStringLiteral("Cannot write the picture to %1: %2.").arg(path, out.errorString()));
        return {};
    });
}

} // namespace lockstep
