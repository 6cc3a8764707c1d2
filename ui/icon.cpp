// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/icon.h"

#include <QFile>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <array>

static void loadIcons() // Q_INIT_RESOURCE has to stand outside of any namespace
{
    Q_INIT_RESOURCE(lockstep);
}

namespace lockstep::ui {

namespace {

constexpr std::array<const char*, kIconCount> kNames{
    "ok",      "run",    "connect", "wait", "stopped", "warn", "lost",   "key",   "lock",   "unreach", "bad",
    "note",    "nodes",  "launch",  "runs", "gear",    "help", "search", "plus",  "import", "export",  "copy",
    "refresh", "follow", "stop",    "file", "filter",  "pin",  "down",   "right", "check",  "close",   "logo"};

} // namespace

QString iconFile(Icon icon)
{
    return QStringLiteral(":/icons/%1.svg").arg(QLatin1String(kNames[static_cast<std::size_t>(icon)]));
}

QPixmap iconPixmap(Icon icon, const QColor& colour, int size, qreal ratio)
{
    const QString key =
        QStringLiteral("lockstep/%1/%2/%3/%4").arg(static_cast<int>(icon)).arg(colour.rgba()).arg(size).arg(ratio);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    loadIcons();
    QFile file(iconFile(icon));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QByteArray svg = file.readAll();
    svg.replace("currentColor", colour.name(QColor::HexRgb).toLatin1());
    QSvgRenderer renderer(svg);
    pixmap = QPixmap(QSize(size, size) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter, QRectF(0, 0, size, size));
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

} // namespace lockstep::ui
