// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/listedfacts.h"

#include <charconv>
#include <limits>
#include <optional>

namespace lockstep {

namespace {

// Interfaces, devices, addresses, processes: a number from outside is no reason to allocate.
constexpr int kMaxListed = 1024;

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
        interface.name = factText(field);
    else if (key.starts_with("addr/") && interface.addresses.size() < kMaxListed)
        interface.addresses.append(factText(field));
    else if (key == "speed_mbps")
        interface.speedMbps = smallFact(field);
    else if (key == "mtu")
        interface.mtu = smallFact(field);
    else if (key == "numa")
        interface.numa = smallFact(field);
    else if (key == "master")
        interface.master = factText(field);
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
        device.uuid = factText(field);
    else if (key == "name")
        device.name = factText(field);
    else if (key == "mem_total")
        device.memoryBytes = field.integer().value_or(-1);
    else if (key == "unified")
        device.unifiedMemory = field.integer() == 1;
    else if (key == "mig")
        device.mig = field.integer() == 1;
    else if (key == "numa")
        device.numa = smallFact(field);
    else if (key == "error")
        device.error = factText(field);
    else if (key.starts_with("process/") && device.processes.size() < kMaxListed)
        device.processes.append(deviceProcess(factText(field)));
    else if (DeviceProcess* process = key.starts_with("since/") ? processOf(device, key) : nullptr)
        process->startedWallUs = field.integer().value_or(0);
    else if (DeviceProcess* holder = key.starts_with("run/") ? processOf(device, key) : nullptr)
        holder->run = factText(field);
}

void takeIbPort(IbPort& port, std::string_view key, const wire::Field& field)
{
    if (key == "device")
        port.device = factText(field);
    else if (key == "port")
        port.port = smallFact(field);
    else if (key == "state")
        port.state = factText(field);
    else if (key == "phys")
        port.physical = factText(field);
    else if (key == "rate_gbps")
        port.rateGbps = field.number().value_or(-1);
    else if (key == "layer")
        port.layer = factText(field);
    else if (key == "net")
        port.net = factText(field);
    else if (key == "numa")
        port.numa = smallFact(field);
}

void takeNumaNode(NumaNode& node, std::string_view key, const wire::Field& field)
{
    if (key == "id")
        node.id = smallFact(field);
    else if (key == "cpus")
        node.cpus = factText(field);
}

void takeRun(RunThere& run, std::string_view key, const wire::Field& field)
{
    if (key == "name")
        run.run = factText(field);
    else if (key == "ranks")
        run.ranks = smallFact(field);
    else if (key == "since_us")
        run.sinceWallUs = field.integer().value_or(0);
    else if (key == "devices")
        run.devices = factText(field).split(u',', Qt::SkipEmptyParts);
}

void takeOfList(NodeFacts& facts, const ListKey& key, const wire::Field& field)
{
    const auto address = [&](QStringList& list) {
        if (key.rest == "addr" && list.size() < kMaxListed)
            list.append(factText(field));
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

} // namespace

QString factText(const wire::Field& field)
{
    return QString::fromStdString(field.text());
}

int smallFact(const wire::Field& field)
{
    const std::int64_t value = field.integer().value_or(-1);
    return value < -1 || value > std::numeric_limits<int>::max() ? -1 : static_cast<int>(value);
}

bool takeListed(NodeFacts& facts, const wire::Field& field)
{
    const auto key = listKey(field.key);
    if (key)
        takeOfList(facts, *key, field);
    return key.has_value();
}

} // namespace lockstep
