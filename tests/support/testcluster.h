// SPDX-License-Identifier: GPL-3.0-or-later
// The test's side of testcluster.sh. A test that wants hosts ends with LOCKSTEP_CLUSTER_MAIN(TestClass, HOSTS): the
// program starts itself again inside a new cluster, from where it reaches n1 ... nHOSTS.
#pragma once

#include "core/inventory.h"
#include "remote/sshsettings.h"

#include <QByteArray>
#include <QStringList>

namespace lockstep::test {

struct Ran {
    int exitCode = -1;
    QByteArray out, err;
};

class TestCluster {
public:
    // Returns only inside the cluster.
    static void enter(int hosts, char** argv);

    [[nodiscard]] static QString folder(); // has ssh_config, id, id.pub, known_hosts
    [[nodiscard]] static QString file(const QString& name) { return folder() + u'/' + name; }
    [[nodiscard]] static SshSettings settings(); // with ssh_config
    // user: trainer, dasher or root; empty: trainer
    [[nodiscard]] static Node node(const QString& host, const QString& user = {});

    // A shell line as root on that host.
    [[nodiscard]] static Ran exec(const QString& host, const QByteArray& shell);
    static void cut(const QStringList& hosts); // every packet is dropped from now on
    static void cut(const QString& host) { cut(QStringList(host)); }
    static void heal(const QStringList& hosts);
    static void heal(const QString& host) { heal(QStringList(host)); }
    static void crash(const QString& host); // for good
    // Any other fault of testcluster.sh: deaf, mute, lossy, freeze, thaw, power.
    static void fault(const QString& kind, const QString& host);
    // Lines in front of sshd_config; sshd reads them at once, connections that stand are not touched.
    static void configureSshd(const QString& host, const QByteArray& lines);
};

} // namespace lockstep::test

#define LOCKSTEP_CLUSTER_MAIN(TestClass, hosts)                                                                        \
    int main(int argc, char** argv)                                                                                    \
    {                                                                                                                  \
        lockstep::test::TestCluster::enter(hosts, argv);                                                               \
        QCoreApplication app(argc, argv);                                                                              \
        TestClass test;                                                                                                \
        QTEST_SET_MAIN_SOURCE_PATH                                                                                     \
        return QTest::qExec(&test, argc, argv);                                                                        \
    }
