// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nodefacts.h"

#include <array>
#include <charconv>

namespace lockstep {

namespace {

constexpr int kMaxListed =
    1024; // interfaces, devices, addresses, processes: a number from outside is no reason to allocate

QString text(const wire::Field& field)
{
    return QString::fromStdString(field.text());
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
        interface.speedMbps = static_cast<int>(field.integer().value_or(-1));
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
    else if (key == "error")
        device.error = text(field);
    else if (key.starts_with("process/") && device.processes.size() < kMaxListed)
        device.processes.append(deviceProcess(text(field)));
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
    if (field.key == "cores")
        facts.cores = static_cast<int>(field.integer().value_or(0));
    else if (field.key == "cpu_quota")
        facts.cpuQuota = field.number().value_or(-1);
}

} // namespace

Result<NodeFacts> NodeFacts::fromRecord(const wire::RecordView& record)
{
    if (record.kind != "facts" || record.fields == nullptr)
        return failure(ErrorCode::Protocol,
                       QStringLiteral("The agent was asked for the facts of its node and answered with a `%1` record.")
                           .arg(QString::fromUtf8(record.kind.data(), static_cast<qsizetype>(record.kind.size()))));
    NodeFacts facts;
    facts.monotonicUs = record.timeUs;
    for (const wire::Field& field : *record.fields) {
        const auto listed = listKey(field.key);
        if (!listed)
            takeScalar(facts, field);
        else if (listed->list == "if")
            takeInterface(at(facts.interfaces, listed->number), listed->rest, field);
        else if (listed->list == "gpu")
            takeDevice(at(facts.devices, listed->number), listed->rest, field);
    }
    if (facts.host.isEmpty())
        return failure(ErrorCode::Protocol,
                       QStringLiteral("The agent's facts do not name their host: install it anew on the node."));
    return facts;
}

} // namespace lockstep
