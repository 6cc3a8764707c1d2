// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/traineroptions.h"

#include "core/nearestname.h"

#include <algorithm>
#include <array>

extern const char kTrainerOptionsTsv[]; // made of traineroptions.tsv by the build

namespace lockstep {
namespace {

enum Column { Part, Name, Kind, Default, Choices, Least, Most, Meaning, Columns };

OptionInfo infoOf(const QStringList& cells)
{
    using enum OptionInfo::Kind;
    OptionInfo info;
    info.part = cells[Part];
    info.name = QString(cells[Name]).replace(QLatin1Char('-'), QLatin1Char('_'));
    info.kind = cells[Kind] == QLatin1String("choice")  ? Choice
                : cells[Kind] == QLatin1String("whole") ? Whole
                : cells[Kind] == QLatin1String("real")  ? Real
                                                        : Text;
    info.value = cells[Default];
    info.choices = cells[Choices].split(u' ', Qt::SkipEmptyParts);
    info.least = cells[Least].toDouble();
    info.most = cells[Most].toDouble();
    info.meaning = cells[Meaning];
    return info;
}

struct ByOptimizer { // the trainer's default of these stands for "as the optimiser likes it"
    const char* name;
    const char* sgd;
    const char* adam;
    const char* adamw;
};
constexpr std::array kByOptimizer{ByOptimizer{"lr", "0.01", "0.001", "0.001"},
                                  ByOptimizer{"weight_decay", "0", "0", "0.01"}};

Result<void> checkNumber(const OptionInfo& option, const QString& text)
{
    const bool whole = option.kind == OptionInfo::Kind::Whole;
    bool number = false;
    const double value = whole ? static_cast<double>(text.toLongLong(&number)) : text.toDouble(&number);
    if (number && value >= option.least && value <= option.most)
        return {};
    return failure(ErrorCode::BadInput,
                   QStringLiteral("%1 is a %2 from %3 to %4, not “%5”.")
                       .arg(option.name, whole ? QStringLiteral("whole number") : QStringLiteral("number"))
                       .arg(option.least)
                       .arg(option.most, 0, 'g', 13)
                       .arg(text));
}

} // namespace

const QList<OptionInfo>& trainerOptions()
{
    static const QList<OptionInfo> table = [] {
        QList<OptionInfo> rows;
        const QStringList lines = QString::fromUtf8(kTrainerOptionsTsv).split(u'\n', Qt::SkipEmptyParts);
        for (const QString& line : lines.mid(1)) { // the first one is the heading
            if (const QStringList cells = line.split(u'\t'); cells.size() == Columns)
                rows.append(infoOf(cells));
        }
        return rows;
    }();
    return table;
}

const OptionInfo* trainerOption(const QString& name)
{
    const auto found = std::ranges::find(trainerOptions(), name, &OptionInfo::name);
    return found == trainerOptions().end() ? nullptr : &*found;
}

QStringList choicesOf(const QString& name)
{
    const OptionInfo* known = trainerOption(name);
    return known ? known->choices : QStringList();
}

QString usualValue(const RunSpec& spec, const QString& name)
{
    for (const ByOptimizer& one : kByOptimizer) {
        if (name != QLatin1String(one.name))
            continue;
        const QString optimizer = valueInUse(spec, QStringLiteral("optimizer"));
        return QString::fromLatin1(optimizer == QLatin1String("sgd")    ? one.sgd
                                   : optimizer == QLatin1String("adam") ? one.adam
                                                                        : one.adamw);
    }
    const OptionInfo* known = trainerOption(name);
    return known ? known->value : QString();
}

QString valueInUse(const RunSpec& spec, const QString& name)
{
    const QByteArray said = spec.option(name);
    return said.isEmpty() ? usualValue(spec, name) : QString::fromUtf8(said);
}

Result<void> checkTrainerOption(const QString& name, const QByteArray& value)
{
    const QString text = QString::fromUtf8(value);
    if (const OptionInfo* option = trainerOption(name)) {
        switch (option->kind) {
        case OptionInfo::Kind::Text:
            return {};
        case OptionInfo::Kind::Choice:
            if (option->choices.contains(text))
                return {};
            return failure(ErrorCode::BadInput, QStringLiteral("%1 is one of %2, not \"%3\".")
                                                    .arg(name, option->choices.join(QLatin1String(", ")), text));
        case OptionInfo::Kind::Whole:
        case OptionInfo::Kind::Real:
            return checkNumber(*option, text);
        }
    }
    QStringList names;
    for (const OptionInfo& one : trainerOptions())
        names.append(one.name);
    const QString nearest = nearestName(name, names);
    if (nearest.isEmpty())
        return failure(
            ErrorCode::BadInput,
            QStringLiteral("\"%1\" is no option of the trainer; `lockstep-trainer --help` lists them.").arg(name));
    return failure(ErrorCode::BadInput, QStringLiteral("\"%1\" is no option of the trainer; %2 is: %3.")
                                            .arg(name, nearest, trainerOption(nearest)->meaning));
}

} // namespace lockstep
