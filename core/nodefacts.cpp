// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nodefacts.h"

#include "core/listedfacts.h"

#include <array>
#include <cmath>

namespace lockstep {

namespace {

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
            facts.*each.member = factText(field);
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
        facts.cores = std::max(0, smallFact(field));
    else if (field.key == "port_low")
        facts.portLow = smallFact(field);
    else if (field.key == "port_high")
        facts.portHigh = smallFact(field);
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
        if (!takeListed(facts, field))
            takeScalar(facts, field);
    }
    if (facts.host.isEmpty())
        return failure(ErrorCode::Protocol,
                       QStringLiteral("The agent's facts do not name their host: install it anew on the node."));
    return facts;
}

} // namespace lockstep
