// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/advancedrows.h"

#include "core/traineroptions.h"
#include "ui/launch/filesrow.h"
#include "ui/launch/formrow.h"
#include "ui/launch/optionfields.h"
#include "ui/launch/optionpanel.h"
#include "ui/launch/specfields.h"
#include "ui/widgets/combo.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QCheckBox>

namespace lockstep::ui {

namespace {

constexpr int kLeastPath = 80; // of a field that gives way in a narrow window

} // namespace

AdvancedRows::AdvancedRows(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_options(new OptionFields(this))
{
    auto* column = makeColumn(this);
    makeTraining(*column);
    makeLaunch(*column);
    makeWords(*column);
    m_files = new FilesRow(theme);
    addFormRow(theme, *column, {})->addWidget(m_files, 1);
    m_all = new OptionPanel(theme);
    column->addWidget(m_all);
    connect(m_options, &OptionFields::edited, this, &AdvancedRows::edited);
    connect(m_files, &FilesRow::edited, this, &AdvancedRows::edited);
    connect(m_relay, &QCheckBox::toggled, this, &AdvancedRows::edited);
    connect(m_all, &OptionPanel::edited, this, &AdvancedRows::optionSet);
    for (Field* field : {m_port, m_grace, m_restarts, m_env, m_arguments})
        connect(field, &QLineEdit::textChanged, this, &AdvancedRows::edited);
}

void AdvancedRows::makeTraining(QVBoxLayout& column)
{
    QHBoxLayout* row = addFormRow(m_theme, column, {});
    const auto add = [this, &row](const char* label, const char* name, int characters) {
        Field* field = addField(m_theme, *row, QString::fromLatin1(label), QString::fromLatin1(name), characters);
        m_options->add(field);
        return field;
    };
    for (const char* name : {"strategy", "precision", "schedule"}) {
        const QString option = QString::fromLatin1(name);
        m_options->add(addCombo(m_theme, *row, option, option, choicesOf(option)));
    }
    add("forwards a step", "accumulate", 4);
    add("clip norm", "clip_norm", 5);
    Field* checkpoints = add("checkpoints", "checkpoint", 24);
    checkpoints->setMinimumWidth(m_theme.px(kLeastPath));
    row->setStretchFactor(checkpoints, 4);
    row->addStretch(1);
    row = addFormRow(m_theme, column, {});
    add("momentum", "momentum", 5);
    add("weight decay", "weight_decay", 7);
    add("seed", "seed", 6);
    add("threads a rank", "threads", 5);
    add("bucket, MiB", "bucket_mb", 5);
    row->addStretch(1);
}

void AdvancedRows::makeLaunch(QVBoxLayout& column)
{
    QHBoxLayout* row = addFormRow(m_theme, column, {});
    m_port = addField(m_theme, *row, QStringLiteral("master port"), QStringLiteral("master_port"), 6);
    m_port->setPlaceholderText(QStringLiteral("free"));
    m_grace = addField(m_theme, *row, QStringLiteral("grace, s"), QStringLiteral("grace"), 4);
    m_restarts = addField(m_theme, *row, QStringLiteral("restarts"), QStringLiteral("restarts"), 6);
    m_restarts->setPlaceholderText(QStringLiteral("never"));
    row->addSpacing(m_theme.px(8));
    m_relay = new QCheckBox(QStringLiteral("nodes relay the bundle"));
    m_relay->setObjectName(QStringLiteral("relay"));
    m_relay->setFont(m_theme.font(FontRole::Cell));
    m_relay->setToolTip(QStringLiteral("One node is sent the bundle, and nodes pass it on to each other: for many "
                                       "nodes behind a slow link. The folder to send still goes to each."));
    row->addWidget(m_relay);
    row->addStretch(1);
}

void AdvancedRows::makeWords(QVBoxLayout& column)
{
    QHBoxLayout* row = addFormRow(m_theme, column, {});
    m_env = addField(m_theme, *row, QStringLiteral("environment"), QStringLiteral("env"), 30);
    m_env->setPlaceholderText(QStringLiteral("NAME=value NAME2='two words'"));
    m_arguments = addField(m_theme, *row, QStringLiteral("further arguments"), QStringLiteral("arguments"), 30);
    m_arguments->setPlaceholderText(QStringLiteral("as on a command line"));
    row->addStretch(1);
}

void AdvancedRows::show(const RunSpec& spec)
{
    m_options->show(spec);
    m_port->setText(spec.masterPort > 0 ? QString::number(spec.masterPort) : QString());
    m_grace->setText(QString::number(spec.graceS));
    m_restarts->setText(spec.restarts > 0 ? QString::number(spec.restarts) : QString());
    m_env->setText(environmentText(spec.env));
    m_arguments->setText(wordsText(spec.arguments));
    m_relay->setChecked(spec.relay);
    m_files->show(spec);
}

QString AdvancedRows::read(RunSpec& spec, const RunSpec& opened)
{
    QString wrong = m_options->read(spec, opened);
    const auto take = [&wrong](Field& field, const QString& reason) {
        field.setWrong(reason);
        if (wrong.isEmpty())
            wrong = reason;
    };
    const QString typedPort = m_port->text().trimmed();
    const auto port = parsePort(typedPort.isEmpty() ? QStringLiteral("0") : typedPort, spec.allowLowPort);
    take(*m_port, port ? QString() : port.error().text);
    spec.masterPort = port.value_or(spec.masterPort);
    take(*m_grace, wrongNumber(QStringLiteral("grace"), m_grace->text()));
    spec.graceS = m_grace->text().toInt();
    take(*m_restarts, wrongNumber(QStringLiteral("restarts"), m_restarts->text()));
    spec.restarts = m_restarts->text().toInt();
    if (m_env->text() != environmentText(spec.env))
        take(*m_env, readEnvironment(m_env->text(), spec.env));
    if (m_arguments->text() != wordsText(spec.arguments))
        take(*m_arguments, readWords(m_arguments->text(), spec.arguments));
    spec.relay = m_relay->isChecked();
    if (const QString files = m_files->read(spec); wrong.isEmpty())
        wrong = files;
    return wrong;
}

void AdvancedRows::showOptions(const RunSpec& spec)
{
    m_all->setSpec(spec);
}

} // namespace lockstep::ui
