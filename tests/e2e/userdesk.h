// SPDX-License-Identifier: GPL-3.0-or-later
// A user at a desktop of their own, who types `lockstep ...`: a home, a data folder and a cache that nobody else uses
// and that are gone at the end, and an environment of which every variable is known. Stands in the cluster of
// tests/support.
#pragma once

#include "tests/e2e/program.h"

#include <QProcessEnvironment>
#include <QTemporaryDir>

#include <memory>

namespace lockstep::test {

class UserDesk {
public:
    UserDesk();

    QProcessEnvironment environment; // of the programs started from now on

    [[nodiscard]] std::unique_ptr<Program> start(const QStringList& words) const;
    [[nodiscard]] Answer ask(const QStringList& words) const; // to its end, which must come within kAnswerTime

    // The nodes of a hostfile are the inventory.
    void setInventory(const QByteArray& hostfile);
    [[nodiscard]] QString writeSpec(const QByteArray& toml) const; // its path
    // Nodes get a bundle whose lockstep-trainer is this script of tests/e2e/ranks.
    void setRankProgram(const QString& script);

    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    [[nodiscard]] QByteArray storedSpool(const QString& run, const QString& node) const;
    [[nodiscard]] QJsonObject shown(const QString& run) const; // `lockstep show`

private:
    QTemporaryDir m_folder;
};

} // namespace lockstep::test
