// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/factsjson.h"

#include <QJsonArray>

namespace lockstep {
namespace {

QJsonValue known(const QString& text)
{
    return text.isEmpty() ? QJsonValue() : QJsonValue(text);
}

QJsonValue known(qint64 number, qint64 least = 0) // counts and sizes are negative while unknown, times 0
{
    return number < least ? QJsonValue() : QJsonValue(number);
}

QJsonValue known(double number)
{
    return number < 0 ? QJsonValue() : QJsonValue(number);
}

QJsonValue known(Told told)
{
    return told == Told::Unknown ? QJsonValue() : QJsonValue(told == Told::Yes);
}

QJsonArray interfaces(const NodeFacts& facts)
{
    QJsonArray array;
    for (const auto& item : facts.interfaces)
        array << QJsonObject{{"name", item.name},
                             {"addresses", QJsonArray::fromStringList(item.addresses)},
                             {"speed_mbps", known(qint64{item.speedMbps})},
                             {"mtu", known(qint64{item.mtu})},
                             {"master", known(item.master)},
                             {"numa", known(qint64{item.numa})},
                             {"up", item.up}};
    return array;
}

QJsonArray devices(const NodeFacts& facts)
{
    QJsonArray array;
    for (const auto& item : facts.devices) {
        QJsonArray processes;
        for (const auto& process : item.processes)
            processes << QJsonObject{{"pid", process.pid},
                                     {"user", known(process.user)},
                                     {"name", known(process.name)},
                                     {"memory_bytes", known(process.bytes)},
                                     {"since_us", known(process.startedWallUs, 1)},
                                     {"run", known(process.run)}};
        array << QJsonObject{{"index", item.index},
                             {"uuid", item.uuid},
                             {"name", item.name},
                             {"memory_bytes", known(item.memoryBytes)},
                             {"mig", item.mig},
                             {"numa", known(qint64{item.numa})},
                             {"error", known(item.error)},
                             {"processes", processes}};
    }
    return array;
}

QJsonArray ports(const NodeFacts& facts)
{
    QJsonArray array;
    for (const auto& item : facts.ibPorts)
        array << QJsonObject{{"device", item.device},
                             {"port", item.port},
                             {"state", known(item.state)},
                             {"physical_state", known(item.physical)},
                             {"rate_gbps", known(item.rateGbps)},
                             {"link_layer", known(item.layer)},
                             {"interface", known(item.net)}};
    return array;
}

QJsonArray runs(const NodeFacts& facts)
{
    QJsonArray array;
    for (const auto& item : facts.runs)
        array << QJsonObject{{"run", item.run},
                             {"ranks", known(qint64{item.ranks}, 1)},
                             {"since_us", known(item.sinceWallUs, 1)},
                             {"devices", QJsonArray::fromStringList(item.devices)}};
    return array;
}

QJsonArray numaNodes(const NodeFacts& facts)
{
    QJsonArray array;
    for (const auto& item : facts.numaNodes)
        array << QJsonObject{{"id", item.id}, {"cpus", item.cpus}};
    return array;
}

} // namespace

QJsonObject toJson(const NodeFacts& facts)
{
    return {{"host", facts.host},
            {"os", facts.os},
            {"kernel", facts.kernel},
            {"arch", facts.arch},
            {"glibc", facts.glibc},
            {"cores", facts.cores},
            {"usable_cores", facts.usableCores()},
            {"cpus", known(facts.cpus)},
            {"numa_nodes", numaNodes(facts)},
            {"memory_bytes", known(facts.memoryBytes)},
            {"runs_free_bytes", known(facts.runsFreeBytes)},
            {"cache_free_bytes", known(facts.cacheFreeBytes)},
            {"cache_folder", known(facts.cacheFolder)},
            {"home_id", known(facts.homeId)},
            {"home_file_system", known(facts.homeFileSystem)},
            {"driver", known(facts.driver)},
            {"cuda", known(facts.cuda)},
            {"nccl", known(facts.nccl)},
            {"ephemeral_ports", QJsonArray{known(qint64{facts.portLow}), known(qint64{facts.portHigh})}},
            {"reserved_ports", known(facts.reservedPorts)},
            {"own_name_addresses", QJsonArray::fromStringList(facts.selfAddresses)},
            {"own_name_error", known(facts.selfError)},
            {"hosts_file_addresses", QJsonArray::fromStringList(facts.hostsAddresses)},
            {"localhost_addresses", QJsonArray::fromStringList(facts.localhostAddresses)},
            {"logind", known(facts.logind)},
            {"kill_user_processes", known(facts.killUserProcesses)},
            {"linger", known(facts.linger)},
            {"interfaces", interfaces(facts)},
            {"infiniband", ports(facts)},
            {"devices", devices(facts)},
            {"runs", runs(facts)}};
}

} // namespace lockstep
