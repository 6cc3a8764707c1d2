// SPDX-License-Identifier: GPL-3.0-or-later
// Segments of gpu1's spool, made by hand.
#pragma once

#include "core/compressedsegment.h"

#include <QDir>
#include <QFile>
#include <QRandomGenerator>
#include <QTest>

#include <string_view>

namespace lockstep::test {

inline constexpr qint64 kSmall = 1000; // bytes a segment, where nothing else is said

inline std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

// No two lines are the same, so a doubled or shifted piece shows.
inline QByteArray records(qint64 bytes)
{
    QByteArray text;
    QRandomGenerator random(7);
    for (int step = 0; text.size() < bytes; ++step)
        text += QStringLiteral("metric 0 %1 step=%2 loss=%3\n")
                    .arg(step * 20)
                    .arg(step)
                    .arg(random.generateDouble())
                    .toLatin1();
    return text.left(bytes);
}

inline void put(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
    QCOMPARE(file.write(bytes), bytes.size());
}

inline QByteArray compressed(const QString& folder, const QByteArray& bytes)
{
    const QString path = folder + "/aside.000000";
    put(path, bytes);
    if (!compressSegment(path))
        return {};
    QFile file(path + ".zst");
    const QByteArray packed = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    file.remove();
    return packed;
}

inline QString files(const QString& folder) // of gpu1: "spool 000000 000001.zst"
{
    QStringList names = QDir(folder).entryList({"gpu1.spool*"}, QDir::Files, QDir::Name);
    for (QString& name : names)
        name = name.mid(name == "gpu1.spool" ? 5 : 11);
    return names.join(' ');
}

} // namespace lockstep::test
