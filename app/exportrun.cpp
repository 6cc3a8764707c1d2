// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/exportrun.h"

#include "core/csvexport.h"
#include "ui/plots/runpicture.h"

#include <QSaveFile>

#include <functional>

namespace lockstep {
namespace {

constexpr QSize kPictureSize(1280, 800);

Result<void> save(const QString& path, const std::function<Result<void>(QIODevice&)>& write)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return failure(ErrorCode::Io, QStringLiteral("Cannot write %1: %2.").arg(path, file.errorString()));
    if (auto written = write(file); !written)
        return written;
    if (!file.commit())
        return failure(ErrorCode::Io, QStringLiteral("Cannot write %1: %2.").arg(path, file.errorString()));
    return {};
}

} // namespace

Result<void> writeTable(const RunData& data, const QString& format, const QString& path)
{
    const CsvForm form = format == QLatin1String("csv-wide") ? CsvForm::Wide : CsvForm::Long;
    return save(path, [&](QIODevice& out) { return writeCsv(data, form, out); });
}

Result<void> writePicture(ui::Theme& theme, const RunData& data, const QString& path)
{
    return save(path, [&](QIODevice& out) -> Result<void> {
        if (!ui::renderRunPlots(theme, data, kPictureSize).save(&out, "PNG"))
            return failure(ErrorCode::Io,
                           QStringLiteral("Cannot write the picture to %1: %2.").arg(path, out.errorString()));
        return {};
    });
}

} // namespace lockstep
