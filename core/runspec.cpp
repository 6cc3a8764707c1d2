// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runspec.h"

#include "core/address.h"
#include "core/nearestname.h"
#include "core/traineroptions.h"

#include <QDir>
#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kFirstOpenPort = 1024;
const QStringList kTopLevel{QStringLiteral("name"),           QStringLiteral("nodes"),
                            QStringLiteral("ranks"),          QStringLiteral("master_port"),
                            QStringLiteral("allow_low_port"), QStringLiteral("grace"),
                            QStringLiteral("ranks_per_node"), QStringLiteral("ranks_per_device"),
                            QStringLiteral("share_devices"),  QStringLiteral("affinity"),
                            QStringLiteral("pass_env"),       QStringLiteral("restarts"),
                            QStringLiteral("folder"),         QStringLiteral("directory"),
                            QStringLiteral("results"),        QStringLiteral("relay")};

Result<int> wholeNumber(const QString& key, const QString& text, int least, int most)
{
    static const QRegularExpression kNumber(QStringLiteral("^-?[0-9]{1,9}$"));
    if (kNumber.match(text).hasMatch()) {
        if (const int number = text.toInt(); number >= least && number <= most)
            return number;
    }
    return failure(
        ErrorCode::BadInput,
        QStringLiteral("%1 wants a whole number from %2 to %3, not \"%4\".").arg(key).arg(least).arg(most).arg(text));
}

Result<void> setFlag(const QString& key, const QString& value, bool& flag)
{
    if (value != QLatin1String("true") && value != QLatin1String("false"))
        return failure(ErrorCode::BadInput, QStringLiteral("%1 is true or false, not \"%2\".").arg(key, value));
    flag = value == QLatin1String("true");
    return {};
}

void setIn(Environment& environment, const QByteArray& name, const QByteArray& value)
{
    const auto it =
        std::find_if(environment.begin(), environment.end(), [&](const auto& entry) { return entry.first == name; });
    if (it == environment.end())
        environment.append({name, value});
    else
        it->second = value;
}

} // namespace

QString toString(Backend backend)
{
    switch (backend) {
    case Backend::Auto:
        return QStringLiteral("auto");
    case Backend::Gloo:
        return QStringLiteral("gloo");
    case Backend::Nccl:
        return QStringLiteral("nccl");
    }
    return {};
}

std::optional<Backend> backendOf(const QString& text)
{
    for (const Backend backend : {Backend::Auto, Backend::Gloo, Backend::Nccl}) {
        if (text == toString(backend))
            return backend;
    }
    return std::nullopt;
}

QString toString(Affinity affinity)
{
    switch (affinity) {
    case Affinity::Auto:
        return QStringLiteral("auto");
    case Affinity::Cores:
        return QStringLiteral("cores");
    case Affinity::None:
        return QStringLiteral("none");
    }
    return {};
}

std::optional<Affinity> affinityOf(const QString& text)
{
    for (const Affinity affinity : {Affinity::Auto, Affinity::Cores, Affinity::None}) {
        if (text == toString(affinity))
            return affinity;
    }
    return std::nullopt;
}

Result<int> parsePort(const QString& text, bool allowLowPort)
{
    const Result<int> port = parsePortDigits(text, QStringLiteral("The master port"));
    if (port && *port > 0 && *port < kFirstOpenPort && !allowLowPort)
        return failure(
            ErrorCode::BadInput,
            QStringLiteral(
                "The master port %1 is one of the system's (1 to 1023); set allow_low_port = true if it is meant.")
                .arg(*port));
    return port;
}

const NodeSettings* RunSpec::settingsOf(const QString& node) const
{
    const auto it = std::find_if(nodeSettings.begin(), nodeSettings.end(),
                                 [&](const NodeSettings& one) { return one.node == node; });
    return it == nodeSettings.end() ? nullptr : &*it;
}

QByteArray RunSpec::option(const QString& key) const
{
    const auto it =
        std::find_if(trainer.begin(), trainer.end(), [&](const TrainerOption& one) { return one.name == key; });
    return it == trainer.end() ? QByteArray() : it->value;
}

void RunSpec::setOption(const QString& key, const QByteArray& value)
{
    const auto it =
        std::find_if(trainer.begin(), trainer.end(), [&](const TrainerOption& one) { return one.name == key; });
    if (it == trainer.end())
        trainer.append({key, value});
    else
        it->value = value;
}

Result<void> checkOptionName(const QString& name)
{
    static const QRegularExpression kName(QStringLiteral("^[a-z][a-z0-9_]*\\z"));
    if (kName.match(name).hasMatch())
        return {};
    return failure(ErrorCode::BadInput,
                   QStringLiteral("\"%1\" is no option's name; write it without dashes: weight_decay.").arg(name));
}

Result<void> RunSpec::set(const QString& assignment)
{
    const qsizetype equals = assignment.indexOf(u'=');
    if (equals <= 0)
        return failure(ErrorCode::BadInput, QStringLiteral("\"%1\" sets nothing; write KEY=VALUE.").arg(assignment));
    const QString key = assignment.left(equals);
    const QString value = assignment.mid(equals + 1);
    const auto take = [](const Result<int>& number, int& member) -> Result<void> {
        if (!number)
            return std::unexpected(number.error());
        member = *number;
        return {};
    };
    if (key.startsWith(QLatin1String("env.")) && key.size() > 4) {
        setIn(env, key.mid(4).toUtf8(), value.toUtf8());
    } else if (key.startsWith(QLatin1String("env_override.")) && key.size() > 13) {
        setIn(envOverride, key.mid(13).toUtf8(), value.toUtf8());
    } else if (key == QLatin1String("folder")) {
        folder = value.isEmpty() ? QString() : QDir::cleanPath(QDir::current().absoluteFilePath(value));
    } else if (key == QLatin1String("directory")) {
        directory = value;
    } else if (key == QLatin1String("results")) {
        results = value.split(u',', Qt::SkipEmptyParts);
    } else if (key == QLatin1String("name")) {
        name = value;
    } else if (key == QLatin1String("nodes")) {
        nodes = value;
    } else if (key == QLatin1String("ranks_per_node")) {
        return take(wholeNumber(key, value, 0, kMostRanksPerNode), ranksPerNode);
    } else if (key == QLatin1String("ranks")) {
        return take(wholeNumber(key, value, 0, kMostRanks), totalRanks);
    } else if (key == QLatin1String("grace")) {
        return take(wholeNumber(key, value, 0, kMostGraceS), graceS);
    } else if (key == QLatin1String("restarts")) {
        return take(wholeNumber(key, value, 0, kMostRestarts), restarts);
    } else if (key == QLatin1String("master_port")) {
        return take(parsePort(value, allowLowPort), masterPort);
    } else if (key == QLatin1String("ranks_per_device")) {
        return take(wholeNumber(key, value, 1, kMostRanksPerDevice), ranksPerDevice);
    } else if (key == QLatin1String("allow_low_port")) {
        return setFlag(key, value, allowLowPort);
    } else if (key == QLatin1String("share_devices")) {
        return setFlag(key, value, shareDevices);
    } else if (key == QLatin1String("relay")) {
        return setFlag(key, value, relay);
    } else if (key == QLatin1String("pass_env")) {
        passEnv = value.split(u',', Qt::SkipEmptyParts);
    } else if (key == QLatin1String("affinity")) {
        const std::optional<Affinity> wanted = affinityOf(value);
        if (!wanted)
            return failure(ErrorCode::BadInput,
                           QStringLiteral("affinity is auto, cores or none, not \"%1\".").arg(value));
        affinity = *wanted;
    } else if (key == QLatin1String("backend")) {
        const std::optional<Backend> wanted = backendOf(value);
        if (!wanted)
            return failure(ErrorCode::BadInput,
                           QStringLiteral("backend is auto, gloo or nccl, not \"%1\".").arg(value));
        backend = *wanted;
    } else {
        QString option = key.startsWith(QLatin1String("trainer.")) ? key.mid(8) : key;
        option.replace(u'-', u'_');
        if (const Result<void> named = checkOptionName(option); !named)
            return named;
        if (const QString nearest = nearestName(key, kTopLevel); !trainerOption(option) && !nearest.isEmpty())
            return failure(ErrorCode::BadInput, QStringLiteral("\"%1\" is no key of a spec; %2 is.").arg(key, nearest));
        if (const Result<void> known = checkTrainerOption(option, value.toUtf8()); !known)
            return known;
        setOption(option, value.toUtf8());
    }
    return {};
}

Result<void> checkDirectory(const RunSpec& spec)
{
    const QString& directory = spec.directory;
    if (directory.isEmpty() || directory.startsWith(u'/'))
        return {};
    if (spec.folder.isEmpty())
        return failure(
            ErrorCode::BadInput,
            QStringLiteral("directory = \"%1\" is inside no folder; write an absolute path, or send a folder "
                           "with the run (folder = ...).")
                .arg(directory));
    const QString clean = QDir::cleanPath(directory);
    if (clean == QLatin1String("..") || clean.startsWith(QLatin1String("../")))
        return failure(ErrorCode::BadInput,
                       QStringLiteral("directory = \"%1\" leads out of the folder that is sent.").arg(directory));
    return {};
}

RunSpec RunSpec::demo()
{
    RunSpec spec;
    spec.name = QStringLiteral("demo");
    spec.ranksPerNode = 2;
    spec.trainer = {{QStringLiteral("model"), "cnn"},       {QStringLiteral("data"), "fashion-mnist"},
                    {QStringLiteral("batch"), "64"},        {QStringLiteral("epochs"), "3"},
                    {QStringLiteral("optimizer"), "adamw"}, {QStringLiteral("lr"), "0.001"}};
    return spec;
}

} // namespace lockstep
