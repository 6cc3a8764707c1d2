// SPDX-License-Identifier: GPL-3.0-or-later
// What `lockstep-agent probe` says of a node. Lists are numbered keys: if/0/name if/0/addr/0=10.0.0.1/24
// if/0/speed_mbps if/0/mtu if/0/master if/0/numa if/0/up if/0/loopback; gpu/0/index gpu/0/uuid gpu/0/name
// gpu/0/mem_total gpu/0/unified gpu/0/mig gpu/0/numa gpu/0/error gpu/0/process/0=PID:BYTES:USER:NAME
// gpu/0/since/0=WALL_US gpu/0/run/0=RUN; ib/0/device ib/0/port ib/0/state ib/0/phys ib/0/rate_gbps ib/0/layer ib/0/net
// ib/0/numa; numa/0/id numa/0/cpus; run/0/name run/0/ranks run/0/since_us run/0/devices=UUID,UUID; self/0/addr
// hosts/0/addr localhost/0/addr. All others by the member's comment. A missing key is unknown, never zero.
#pragma once

#include "core/error.h"
#include "core/wire/record.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace lockstep {

struct NetInterface {
    QString name;
    QStringList addresses; // with prefix length: 10.0.0.1/24, fe80::1/64
    int speedMbps = -1;    // -1: unknown
    bool up = false;
    bool loopback = false;
    int mtu = -1;
    int numa = -1;    // the NUMA node that the adapter hangs on
    QString master{}; // the bond or bridge that it is a part of

    bool operator==(const NetInterface&) const = default;
};

struct DeviceProcess {
    qint64 pid = 0;
    qint64 bytes = -1;
    QString user;
    QString name;
    qint64 startedWallUs = 0; // by the node's clock; 0: unknown
    QString run{};            // the run of Lockstep that it belongs to

    bool operator==(const DeviceProcess&) const = default;
};

struct DeviceFacts {
    int index = 0; // NVML's order (PCI); CUDA's may differ, so devices are named to CUDA by uuid
    QString uuid;
    QString name;
    qint64 memoryBytes = -1;
    bool unifiedMemory = false; // it shares the machine's memory, and memoryBytes is that
    bool mig = false;           // cut into instances: none of them is named here
    int numa = -1;              // the NUMA node that it hangs on
    QList<DeviceProcess> processes;
    QString error; // why it cannot be used, in words

    bool operator==(const DeviceFacts&) const = default;
};

struct IbPort {     // a port of an InfiniBand or RoCE adapter, in ibstat's words
    QString device; // mlx5_0
    int port = 1;
    QString state;    // Active, Armed, Initializing, Down
    QString physical; // LinkUp, Polling, Disabled
    double rateGbps = -1;
    QString layer; // InfiniBand, Ethernet
    QString net;   // its network interface
    int numa = -1;

    bool operator==(const IbPort&) const = default;
};

struct NumaNode {
    int id = 0;
    QString cpus; // 0-15,32-47: of the CPUs that we may use

    bool operator==(const NumaNode&) const = default;
};

struct RunThere { // a run of this user that lives on the node
    QString run;
    int ranks = 0; // 0: unknown
    qint64 sinceWallUs = 0;
    QStringList devices; // uuids; empty: the CPU

    bool operator==(const RunThere&) const = default;
};

enum class Told { Unknown, No, Yes };

struct NodeFacts {
    QString host;                 // host
    QString os;                   // os: PRETTY_NAME of os-release
    QString kernel;               // kernel
    QString arch;                 // arch: x86_64
    QString glibc;                // glibc: 2.36
    QString user;                 // user
    QString home;                 // home
    QString shell;                // shell
    int cores = 0;                // cores: that this process may use
    double cpuQuota = -1;         // cpu_quota: what the control group allows, when that is fewer cores; -1: no limit
    QString cpu;                  // cpu: model name
    qint64 memoryBytes = -1;      // mem_total
    qint64 memoryFreeBytes = -1;  // mem_available
    qint64 memoryLimitBytes = -1; // mem_limit: of the control group, when that is less; -1: no limit
    qint64 cacheFreeBytes = -1;   // cache_free: file system of ~/.cache/lockstep
    qint64 runsFreeBytes = -1;    // runs_free: file system of /var/tmp
    QString runsFolder;           // runs_folder
    QString agentVersion;         // agent
    QString driver;               // driver: NVIDIA's, empty: none
    QString cuda;                 // cuda: the driver's highest, 13.0
    QString gpuNote;              // gpu_note: why there is no device, in words
    qint64 openFilesLimit = -1;   // limit_nofile
    qint64 memlockLimit = -1;     // limit_memlock, -1: unlimited or unknown
    qint64 uptimeS = -1;          // uptime_s
    qint64 wallUs = 0;            // wall_us, read at the same moment as the record's time
    qint64 monotonicUs = 0;       // the record's time
    QString bootId;               // boot_id
    QString fashionMnist;         // fashion_mnist: folder with the IDX files, empty: none
    QString cpus;                 // cpus: 0-63, that this process may use
    QString cacheFolder;          // cache_folder: bundles lie under it
    QString homeId;               // home_id: equal where nodes share the cache folder
    QString homeFileSystem;       // home_fs: nfs, ext4
    int portLow = -1;             // port_low: first of the ephemeral ports
    int portHigh = -1;            // port_high
    QString reservedPorts;        // ports_reserved: 8080,9148-9150
    QString nccl;                 // nccl: the node's own, 2.27.7
    QString ncclPath;             // nccl_path
    QString selfError;            // self_error: why it can't resolve its own name
    Told logind = Told::Unknown;  // logind
    Told killUserProcesses = Told::Unknown; // kill_user_processes
    Told linger = Told::Unknown;            // linger
    Told loginSession = Told::Unknown;      // login_session: what we start is part of one
    QStringList selfAddresses;              // what the resolver answers to its own name
    QStringList hostsAddresses;             // of its own name in the hosts file
    QStringList localhostAddresses;         // of localhost in the hosts file
    QList<NetInterface> interfaces;
    QList<DeviceFacts> devices;
    QList<IbPort> ibPorts;
    QList<NumaNode> numaNodes;
    QList<RunThere> runs;

    bool operator==(const NodeFacts&) const = default;

    // What a job can count on: the affinity's cores, or fewer where a control group gives less time.
    [[nodiscard]] int usableCores() const;
    [[nodiscard]] const NetInterface* interfaceWith(const QString& address) const; // 10.0.0.11; null: none
    [[nodiscard]] static Result<NodeFacts> fromRecord(const wire::RecordView& record);
};

} // namespace lockstep
