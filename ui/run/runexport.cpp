// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/runexport.h"

#include <QDir>
#include <QFileInfo>
#include <QPixmap>
#include <QStandardPaths>
#include <QWidget>

namespace lockstep::ui {

QString freePath(const RunData& run, const QString& format)
{
    const auto place =
        format == QLatin1String("png") ? QStandardPaths::PicturesLocation : QStandardPaths::DocumentsLocation;
    const QDir folder(QStandardPaths::writableLocation(place));
    QString base;
    for (const QChar c : run.state().name)
        base += c.isLetterOrNumber() || c == u'-' || c == u'_' || c == u'.' ? c : QLatin1Char('-');
    base += QStringLiteral("-%1").arg(run.state().number);
    QString path = folder.filePath(base + QLatin1Char('.') + format);
    for (int copy = 2; QFileInfo::exists(path); ++copy)
        path = folder.filePath(QStringLiteral("%1-%2.%3").arg(base).arg(copy).arg(format));
    return path;
}

Result<QString> savePicture(QWidget& seen, const QString& path)
{
    const QString folder = QFileInfo(path).absolutePath();
    if (!QDir().mkpath(folder))
        return failure(ErrorCode::Io,
                       QStringLiteral("The folder %1 could not be made for the picture; choose another place for it.")
                           .arg(folder));
    if (!seen.grab().save(path))
        return failure(
            ErrorCode::Io,
            QStringLiteral("The picture could not be written to %1; see whether there is room and the right to write.")
                .arg(path));
    return path;
}

QString commandsText(const RunData& run)
{
    return QString::fromUtf8(run.plan().commands());
}

} // namespace lockstep::ui
