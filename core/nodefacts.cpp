// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nodefacts.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace lockstep {

namespace {

constexpr int kMaxListed =
    1024; // interfaces, devices, addresses, processes: a number from outside is no reason to allocate

QString text(const wire::Field& field)
{
    return QString::fromStdString(field.text());
}

int small(const wire::Field& field) // -1: no number, or none that can be meant
{
    const std::int64_t value = field.integer().value_or(-1);
    return value < -1 || value > std::numeric_limits<int>::max() ? -1 : static_cast<int>(value);
}

// `if/12/addr/0` -> if, 12, addr/0
struct ListKey {
    std::string_view list;
    int number = 0;
    std::string_view rest;
};

std::optional<ListKey> listKey(std::string_view key)
{
    const std::size_t first = key.find('/');
    const std::size_t second = key.find('/', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos)
        return std::nullopt;
    ListKey parts{key.substr(0, first), 0, key.substr(second + 1)};
    const std::string_view digits = key.substr(first + 1, second - first - 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parts.number);
    if (error != std::errc{} || end != digits.data() + digits.size() || parts.number < 0 || parts.number >= kMaxListed)
        return std::nullopt;
    return parts;
}

template <typename T>
T& at(QList<T>& list, int number)
{
    if (number >= list.size())
        list.resize(number + 1);
    return list[number];
}

void takeInterface(NetInterface& interface, std::string_view key, const wire::Field& field)
{
    if (key == "name")
        interface.name = text(field);
    else if (key.starts_with("addr/") && interface.addresses.size() < kMaxListed)
        interface.addresses.append(text(field));
    else if (key == "speed_mbps")
        interface.speedMbps = small(field);
    else if (key == "mtu")
        interface.mtu = small(field);
    else if (key == "numa")
        interface.numa = small(field);
    else if (key == "master")
        interface.master = text(field);
    else if (key == "up")
        interface.up = field.integer() == 1;
    else if (key == "loopback")
        interface.loopback = field.integer() == 1;
}

// PID:BYTES:USER:NAME; the name may hold anything.
DeviceProcess deviceProcess(const QString& value)
{
    DeviceProcess process;
    bool isNumber = false;
    process.pid = value.section(u':', 0, 0).toLongLong();
    process.bytes = value.section(u':', 1, 1).toLongLong(&isNumber);
    if (!isNumber)
        process.bytes = -1;
    process.user = value.section(u':', 2, 2);
    process.name = value.section(u':', 3);
    return process;
}

// Of `since/3`: the process that it speaks of; null: there is none.
DeviceProcess* processOf(DeviceFacts& device, std::string_view key)
{
    int number = -1;
    const std::string_view digits = key.substr(key.find('/') + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc{} && number >= 0 && number < device.processes.size() ? &device.processes[number]
                                                                                   : nullptr;
}

void takeDevice(DeviceFacts& device, std::string_view key, const wire::Field& field)
{
    if (key == "index")
        device.index = static_cast<int>(field.integer().value_or(0));
    else if (key == "uuid")
        device.uuid = text(field);
    else if (key == "name")
        device.name = text(field);
    else if (key == "mem_total")
        device.memoryBytes = field.integer().value_or(-1);
    else if (key == "unified")
        device.unifiedMemory = field.integer() == 1;
    else if (key == "mig")
        device.mig = field.integer() == 1;
    else if (key == "numa")
        device.numa = small(field);
    else if (key == "error")
        device.error = text(field);
    else if (key.starts_with("process/") && device.processes.size() < kMaxListed)
        device.processes.append(deviceProcess(text(field)));
    else if (DeviceProcess* process = key.starts_with("since/") ? processOf(device, key) : nullptr)
        process->startedWallUs = field.integer().value_or(0);
    else if (DeviceProcess* holder = key.starts_with("run/") ? processOf(device, key) : nullptr)
        holder->run = text(field);
}

void takeIbPort(IbPort& port, std::string_view key, const wire::Field& field)
{
    if (key == "device")
        port.device = text(field);
    else if (key == "port")
        port.port = small(field);
    else if (key == "state")
        port.state = text(field);
    else if (key == "phys")
        port.physical = text(field);
    else if (key == "rate_gbps")
        port.rateGbps = field.number().value_or(-1);
    else if (key == "layer")
        port.layer = text(field);
    else if (key == "net")
        port.net = text(field);
    else if (key == "numa")
        port.numa = small(field);
}

void takeNumaNode(NumaNode& node, std::string_view key, const wire::Field& field)
{
    if (key == "id")
        node.id = small(field);
    else if (key == "cpus")
        node.cpus = text(field);
}

void takeRun(RunThere& run, std::string_view key, const wire::Field& field)
{
    if (key == "name")
        run.run = text(field);
    else if (key == "ranks")
        run.ranks = small(field);
    else if (key == "since_us")
        run.sinceWallUs = field.integer().value_or(0);
    else if (key == "devices")
        run.devices = text(field).split(u',', Qt::SkipEmptyParts);
}

void takeListed(NodeFacts& facts, const ListKey& key, const wire::Field& field)
{
    const auto address = [&](QStringList& list) {
        if (key.rest == "addr" && list.size() < kMaxListed)
            list.append(text(field));
    };
    if (key.list == "if")
        takeInterface(at(facts.interfaces, key.number), key.rest, field);
    else if (key.list == "gpu")
        takeDevice(at(facts.devices, key.number), key.rest, field);
    else if (key.list == "ib")
        takeIbPort(at(facts.ibPorts, key.number), key.rest, field);
    else if (key.list == "numa")
        takeNumaNode(at(facts.numaNodes, key.number), key.rest, field);
    else if (key.list == "run")
        takeRun(at(facts.runs, key.number), key.rest, field);
    else if (key.list == "self")
        address(facts.selfAddresses);
    else if (key.list == "hosts")
        address(facts.hostsAddresses);
    else if (key.list == "localhost")
        address(facts.localhostAddresses);
}

struct TextKey {
    std::string_view key;
    QString NodeFacts::*member;
};
constexpr std::array kTexts = {
    TextKey{"host", &NodeFacts::host},
    TextKey{"os", &NodeFacts::os},
    TextKey{"kernel", &NodeFacts::kernel},
    TextKey{"arch", &NodeFacts::arch},
    TextKey{"glibc", &NodeFacts::glibc},
    TextKey{"user", &NodeFacts::user},
    TextKey{"home", &NodeFacts::home},
    TextKey{"shell", &NodeFacts::shell},
    TextKey{"cpu", &NodeFacts::cpu},
    TextKey{"runs_folder", &NodeFacts::runsFolder},
    TextKey{"agent", &NodeFacts::agentVersion},
    TextKey{"driver", &NodeFacts::driver},
    TextKey{"cuda", &NodeFacts::cuda},
    TextKey{"gpu_note", &NodeFacts::gpuNote},
    TextKey{"boot_id", &NodeFacts::bootId},
    TextKey{"fashion_mnist", &NodeFacts::fashionMnist},
    TextKey{"cpus", &NodeFacts::cpus},
    TextKey{"cache_folder", &NodeFacts::cacheFolder},
    TextKey{"home_id", &NodeFacts::homeId},
    TextKey{"home_fs", &NodeFacts::homeFileSystem},
    TextKey{"ports_reserved", &NodeFacts::reservedPorts},
    TextKey{"nccl", &NodeFacts::nccl},
    TextKey{"nccl_path", &NodeFacts::ncclPath},
    TextKey{"self_error", &NodeFacts::selfError},
};

struct NumberKey {
    std::string_view key;
    qint64 NodeFacts::*member;
};
constexpr std::array kNumbers = {
    NumberKey{"mem_total", &NodeFacts::memoryBytes},
    NumberKey{"mem_available", &NodeFacts::memoryFreeBytes},
    NumberKey{"mem_limit", &NodeFacts::memoryLimitBytes},
    NumberKey{"cache_free", &NodeFacts::cacheFreeBytes},
    NumberKey{"runs_free", &NodeFacts::runsFreeBytes},
    NumberKey{"limit_nofile", &NodeFacts::openFilesLimit},
    NumberKey{"limit_memlock", &NodeFacts::memlockLimit},
    NumberKey{"uptime_s", &NodeFacts::uptimeS},
    NumberKey{"wall_us", &NodeFacts::wallUs},
};

struct ToldKey {
    std::string_view key;
    Told NodeFacts::*member;
};
constexpr std::array kTold = {
    ToldKey{"logind", &NodeFacts::logind},
    ToldKey{"kill_user_processes", &NodeFacts::killUserProcesses},
    ToldKey{"linger", &NodeFacts::linger},
    ToldKey{"login_session", &NodeFacts::loginSession},
};

void takeScalar(NodeFacts& facts, const wire::Field& field)
{
    for (const TextKey& each : kTexts) {
        if (each.key == field.key)
            facts.*each.member = text(field);
    }
    for (const NumberKey& each : kNumbers) {
        if (each.key == field.key)
            facts.*each.member = field.integer().value_or(facts.*each.member);
    }
    for (const ToldKey& each : kTold) {
        if (each.key == field.key)
            facts.*each.member = field.integer() == 1 ? Told::Yes : Told::No;
    }
    if (field.key == "cores")
        facts.cores = std::max(0, small(field));
    else if (field.key == "port_low")
        facts.portLow = small(field);
    else if (field.key == "port_high")
        facts.portHigh = small(field);
    else if (field.key == "cpu_quota")
        facts.cpuQuota = field.number().value_or(-1);
}

} // namespace

int NodeFacts::usableCores() const
{
    const bool limited = cpuQuota > 0 && cpuQuota < cores;
    return limited ? std::max(1, static_cast<int>(std::floor(cpuQuota))) : cores;
}

const NetInterface* NodeFacts::interfaceWith(const QString& address) const
{
    for (const NetInterface& interface : interfaces)
        for (const QString& own : interface.addresses)
            if (own.section(u'/', 0, 0) == address)
                return &interface;
    return nullptr;
}

Result<NodeFacts> NodeFacts::fromRecord(const wire::RecordView& record)
{
    if (record.kind != "facts" || record.fields == nullptr)
        return failure(ErrorCode::Protocol,
                       QStringLiteral("The agent was asked for the facts of its node and answered with a `%1` record.")
                           .arg(QString::fromUtf8(record.kind.data(), static_cast<qsizetype>(record.kind.size()))));
    NodeFacts facts;
    facts.monotonicUs = record.timeUs;
    for (const wire::Field& field : *record.fields) {
        if (const auto listed = listKey(field.key))
            takeListed(facts, *listed, field);
        else
            takeScalar(facts, field);
    }
    if (facts.host.isEmpty())
        return failure(ErrorCode::Protocol,
                       QStringLiteral("The agent's facts do not name their host: install it anew on the node."));
    return facts;
}

} // namespace lockstep
