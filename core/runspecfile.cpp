// SPDX-License-Identifier: GPL-3.0-or-later
// Specs as TOML; the form stands in runspec.h.
#include "core/atomicfile.h"
#include "core/runspec.h"
#include "core/tomlreader.h"
#include "core/tomlwriter.h"
#include "core/traineroptions.h"

#include <QDir>
#include <QFileInfo>

#include <charconv>
#include <cmath>
#include <cstring>

namespace lockstep {
namespace {

QByteArray shortest(double value)
{
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end - buffer};
}

QByteArray optionValue(const TomlValue& value, TomlReader& reader, const QByteArray& name)
{
    switch (value.kind) {
    case TomlValue::Kind::Integer:
        return QByteArray::number(static_cast<qlonglong>(value.integer));
    case TomlValue::Kind::Float:
        return shortest(value.real);
    case TomlValue::Kind::Boolean:
        return value.boolean ? "true" : "false";
    case TomlValue::Kind::Text:
    case TomlValue::Kind::Table:
        if (const auto bytes = TomlReader::bytesOf(value))
            return *bytes;
        break;
    case TomlValue::Kind::Array:
    case TomlValue::Kind::Other:
        break;
    }
    reader.fail(value.line,
                QStringLiteral("trainer.%1 wants a text, a number, true or false.").arg(QString::fromUtf8(name)));
    return {};
}

QList<TrainerOption> readOptions(const TomlValue* table, TomlReader& reader, RunSpec::Options allowed)
{
    QList<TrainerOption> options;
    if (!table)
        return options;
    for (const auto& [key, value] : table->entries) {
        const QString name = QString::fromUtf8(key);
        if (const Result<void> named = checkOptionName(name); !named)
            reader.fail(value.line, named.error().text);
        options.append({name, optionValue(value, reader, key)});
        if (allowed == RunSpec::Options::Any)
            continue;
        if (const Result<void> known = checkTrainerOption(name, options.last().value); !known)
            reader.fail(value.line, known.error().text);
    }
    return options;
}

Environment readEnvironment(const TomlValue* table, TomlReader& reader)
{
    Environment environment;
    if (!table)
        return environment;
    for (const auto& [key, value] : table->entries) {
        if (const auto bytes = TomlReader::bytesOf(value))
            environment.append({key, *bytes});
        else
            reader.fail(
                value.line,
                QStringLiteral("the variable %1 wants a text in quotes, not %2: it reaches the ranks byte for byte.")
                    .arg(QString::fromUtf8(key), QLatin1String(toString(value.kind))));
    }
    return environment;
}

QList<NodeSettings> readNodeSettings(const TomlValue* table, TomlReader& outer, const QString& origin)
{
    QList<NodeSettings> all;
    if (!table)
        return all;
    for (const auto& [key, value] : table->entries) {
        NodeSettings settings;
        settings.node = QString::fromUtf8(key);
        if (value.kind != TomlValue::Kind::Table) {
            outer.fail(value.line, QStringLiteral("node.%1 wants a table.").arg(settings.node));
            continue;
        }
        TomlReader reader(value, origin);
        settings.ranks = static_cast<int>(reader.integer("ranks", 0, 0, kMostRanksPerNode));
        settings.devices = reader.texts("devices");
        settings.env = readEnvironment(reader.table("env"), reader);
        settings.envOverride = readEnvironment(reader.table("env_override"), reader);
        outer.take(reader.finish());
        all.append(settings);
    }
    return all;
}

// Numbers and true/false stand bare where reading them back gives the same text.
QByteArray optionToml(const QByteArray& value)
{
    if (value == "true" || value == "false")
        return value;
    bool isNumber = false;
    const qlonglong integer = value.toLongLong(&isNumber);
    if (isNumber && QByteArray::number(integer) == value)
        return value;
    if (!value.contains('.') && !value.contains('e'))
        return TomlWriter::quoted(value); // "-0" would come back as the integer 0
    double real = 0;
    const auto end = value.constData() + value.size();
    const auto parsed = std::from_chars(value.constData(), end, real);
    if (parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(real) && shortest(real) == value)
        return value;
    return TomlWriter::quoted(value);
}

void writeEnvironment(TomlWriter& writer, const QByteArray& name, const Environment& environment)
{
    if (environment.isEmpty())
        return;
    writer.table(name);
    for (const auto& [key, value] : environment)
        writer.text(key, value);
}

} // namespace

Result<RunSpec> RunSpec::parse(const QByteArray& toml, const QString& origin, Options options)
{
    const Result<TomlValue> document = parseToml(toml, origin);
    if (!document)
        return std::unexpected(document.error());
    TomlReader reader(*document, origin);
    RunSpec spec;
    spec.name = reader.text("name", spec.name);
    if (spec.name.trimmed().isEmpty())
        reader.fail(reader.line("name"), QStringLiteral("the name is empty."));
    spec.nodes = reader.text("nodes");
    spec.ranksPerNode = static_cast<int>(reader.integer("ranks_per_node", 0, 0, kMostRanksPerNode));
    spec.totalRanks = static_cast<int>(reader.integer("ranks", 0, 0, kMostRanks));
    spec.ranksPerDevice = static_cast<int>(reader.integer("ranks_per_device", 1, 1, kMostRanksPerDevice));
    spec.shareDevices = reader.boolean("share_devices");
    const QString affinity = reader.text("affinity", QStringLiteral("auto"));
    if (const auto known = affinityOf(affinity))
        spec.affinity = *known;
    else
        reader.fail(reader.line("affinity"),
                    QStringLiteral("affinity is auto, cores or none, not \"%1\".").arg(affinity));
    spec.passEnv = reader.texts("pass_env");
    const QString backend = reader.text("backend", QStringLiteral("auto"));
    if (const auto known = backendOf(backend))
        spec.backend = *known;
    else
        reader.fail(reader.line("backend"), QStringLiteral("backend is auto, gloo or nccl, not \"%1\".").arg(backend));
    spec.allowLowPort = reader.boolean("allow_low_port");
    const QString port = QString::number(
        reader.integer("master_port", 0, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
    if (const Result<int> checked = parsePort(port, spec.allowLowPort))
        spec.masterPort = *checked;
    else
        reader.fail(reader.line("master_port"), checked.error().text);
    spec.graceS = static_cast<int>(reader.integer("grace", spec.graceS, 0, kMostGraceS));
    spec.restarts = static_cast<int>(reader.integer("restarts", 0, 0, kMostRestarts));
    spec.relay = reader.boolean("relay");
    spec.folder = reader.text("folder");
    spec.directory = reader.text("directory");
    spec.results = reader.texts("results");
    if (const Result<void> fits = checkDirectory(spec); !fits)
        reader.fail(reader.line("directory"), fits.error().text);
    spec.arguments = reader.byteTexts("arguments");
    spec.trainer = readOptions(reader.table("trainer"), reader, options);
    spec.env = readEnvironment(reader.table("env"), reader);
    spec.envOverride = readEnvironment(reader.table("env_override"), reader);
    const TomlValue* node = document->find("node");
    if (node && node->kind != TomlValue::Kind::Table)
        reader.fail(node->line, QStringLiteral("the key \"node\" is not known here; \"nodes\" selects, and [node.NAME] "
                                               "is a table."));
    else
        spec.nodeSettings = readNodeSettings(reader.table("node"), reader, origin);
    if (const Result<void> read = reader.finish(); !read)
        return std::unexpected(read.error());
    return spec;
}

Result<RunSpec> RunSpec::load(const QString& path, Options options)
{
    const Result<QByteArray> bytes = readWhole(path);
    if (!bytes)
        return std::unexpected(bytes.error());
    auto spec = parse(*bytes, QFileInfo(path).fileName(), options);
    if (spec && !spec->folder.isEmpty())
        spec->folder = QDir::cleanPath(QFileInfo(path).absoluteDir().absoluteFilePath(spec->folder));
    return spec;
}

QByteArray RunSpec::toToml() const
{
    TomlWriter writer;
    writer.text("name", name);
    if (!nodes.isEmpty())
        writer.text("nodes", nodes);
    if (ranksPerNode != 0)
        writer.integer("ranks_per_node", ranksPerNode);
    if (totalRanks != 0)
        writer.integer("ranks", totalRanks);
    if (ranksPerDevice != 1)
        writer.integer("ranks_per_device", ranksPerDevice);
    if (shareDevices)
        writer.raw("share_devices", "true");
    if (affinity != Affinity::Auto)
        writer.text("affinity", toString(affinity));
    writer.text("backend", toString(backend));
    if (masterPort != 0)
        writer.integer("master_port", masterPort);
    if (allowLowPort)
        writer.raw("allow_low_port", "true");
    writer.integer("grace", graceS);
    if (restarts != 0)
        writer.integer("restarts", restarts);
    if (relay)
        writer.raw("relay", "true");
    if (!folder.isEmpty())
        writer.text("folder", folder);
    if (!directory.isEmpty())
        writer.text("directory", directory);
    if (!results.isEmpty())
        writer.texts("results", results);
    if (!arguments.isEmpty())
        writer.texts("arguments", arguments);
    if (!passEnv.isEmpty())
        writer.texts("pass_env", passEnv);
    if (!trainer.isEmpty()) {
        writer.table("trainer");
        for (const TrainerOption& option : trainer)
            writer.raw(option.name.toUtf8(), optionToml(option.value));
    }
    writeEnvironment(writer, "env", env);
    writeEnvironment(writer, "env_override", envOverride);
    for (const NodeSettings& one : nodeSettings) {
        const QByteArray table = "node." + TomlWriter::keyOf(one.node.toUtf8());
        writer.table(table);
        if (one.ranks != 0)
            writer.integer("ranks", one.ranks);
        if (!one.devices.isEmpty())
            writer.texts("devices", one.devices);
        writeEnvironment(writer, table + ".env", one.env);
        writeEnvironment(writer, table + ".env_override", one.envOverride);
    }
    return writer.result();
}

Result<void> RunSpec::save(const QString& path) const
{
    return writeAtomically(path, toToml());
}

} // namespace lockstep
