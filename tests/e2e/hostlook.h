// SPDX-License-Identifier: GPL-3.0-or-later
// What is on a host of the cluster, seen from there and not with Lockstep's eyes.
#pragma once

#include <QByteArray>
#include <QStringList>

namespace lockstep::test {

class HostLook {
public:
    explicit HostLook(QString host, int uid = kTrainer) : m_host(std::move(host)), m_uid(uid) {}

    static constexpr int kTrainer = 2077, kDasher = 2078; // users of tests/support/testcluster.sh

    [[nodiscard]] QStringList processes() const;               // "PID ARGS" of all that the user runs, sign-ins too
    [[nodiscard]] QStringList files() const;                   // paths of all files of the user, but ~/.ssh
    [[nodiscard]] QString runFolder(const QString& run) const; // where this program sees it
    [[nodiscard]] static QString folderThere(const QString& host,
                                             const QString& run); // where the host does, of trainer
    // The spool as it was before segments were compressed. segments: "spool.000000.zst", in order.
    [[nodiscard]] QByteArray spool(const QString& run) const;
    [[nodiscard]] QStringList segments(const QString& run) const;
    [[nodiscard]] QByteArray file(const QString& run, const QString& name) const;

private:
    QString m_host;
    int m_uid;
};

} // namespace lockstep::test
