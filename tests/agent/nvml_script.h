// SPDX-License-Identifier: GPL-3.0-or-later
// Runs parts of the agent against the scripted libnvidia-ml.so.1 (nvml_fake.cpp), each in a forked process as in real
// life: the library is loaded once in a process, and its clock starts there.
#pragma once

#include "core/wire/decoder.h"

#include <QByteArray>
#include <QHash>
#include <QList>
#include <QString>

#include <functional>
#include <optional>

namespace lockstep::test {

enum class Driver {
    None,
    New,
    Old, // without the functions that came with versions 510 to 570
};
[[nodiscard]] QString driverFolder(Driver driver); // for LD_LIBRARY_PATH

struct Sample {
    QString id;
    qint64 timeUs = 0;
    QHash<QString, QString> values;

    [[nodiscard]] std::optional<double> number(const QString& key) const;
    [[nodiscard]] bool has(const QString& key) const { return values.contains(key); }
};
[[nodiscard]] QList<Sample> samplesIn(const QByteArray& bytes);
[[nodiscard]] QList<Sample> samplesOf(const QList<Sample>& all, const QString& id);

struct ChildRun {
    Driver driver = Driver::New;
    QByteArray script;
    QByteArray path; // PATH of the child, empty: unchanged
    std::function<void(int outFd)> main;
    std::function<bool(const QList<Sample>&)> enough; // then its pipe is closed; never: to its end
};
struct ChildResult {
    QByteArray output;
    QList<Sample> samples;
    bool inTime = false; // it was enough, or it ended, before the deadline
    bool isGone = false; // it ended after nobody read any more
};
[[nodiscard]] ChildResult runChild(const ChildRun& run);

} // namespace lockstep::test
