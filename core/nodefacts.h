// SPDX-License-Identifier: GPL-3.0-or-later
// What `lockstep-agent probe` says of a node. Lists are numbered keys: if/0/name if/0/addr/0=10.0.0.1/24
// if/0/speed_mbps if/0/up if/0/loopback; gpu/0/index gpu/0/uuid gpu/0/name gpu/0/mem_total gpu/0/unified gpu/0/error
// gpu/0/process/0=PID:BYTES:USER:NAME. All others by the member's comment.
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

    bool operator==(const NetInterface&) const = default;
};

struct DeviceProcess {
    qint64 pid = 0;
    qint64 bytes = -1;
    QString user;
    QString name;

    bool operator==(const DeviceProcess&) const = default;
};

struct DeviceFacts {
    int index = 0; // NVML's order (PCI); CUDA's may differ, so devices are named to CUDA by uuid
    QString uuid;
    QString name;
    qint64 memoryBytes = -1;
    bool unifiedMemory = false; // it shares the machine's memory, and memoryBytes is that
    QList<DeviceProcess> processes;
    QString error; // why it cannot be used, in words

    bool operator==(const DeviceFacts&) const = default;
};

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
    QList<NetInterface> interfaces;
    QList<DeviceFacts> devices;

    bool operator==(const NodeFacts&) const = default;

    [[nodiscard]] static Result<NodeFacts> fromRecord(const wire::RecordView& record);
};

} // namespace lockstep
