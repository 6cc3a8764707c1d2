// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/specform.h"

#include "core/traineroptions.h"
#include "ui/launch/filesrow.h"
#include "ui/launch/optionpanel.h"
#include "ui/launch/programrow.h"
#include "ui/launch/specfields.h"
#include "ui/plots/figures.h"
#include "ui/widgets/button.h"
#include "ui/widgets/combo.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr int kRowHigh = 40;
constexpr int kLabelWide = 72;
constexpr int kRoomForTotal = 1100; // in a narrower form "2,048 in all" gives way first

Combo* addCombo(Theme& theme, QHBoxLayout& row, const QString& caption, const QStringList& values)
{
    auto* combo = new Combo(theme, caption);
    combo->addItems(values);
    row.addWidget(combo);
    return combo;
}

// Shows a value that the list does not hold as one more entry: nothing of a spec is hidden or changed.
void choose(Combo& combo, const QString& value)
{
    int at = combo.findText(value);
    if (at < 0) {
        combo.addItem(value);
        at = combo.count() - 1;
    }
    combo.setCurrentIndex(at);
}

} // namespace

SpecForm::SpecForm(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme), m_rows(makeColumn(this))
{
    makeTargetRow();
    makeProgramRow();
    makeTrainingRow();
    makeAdvanced();
    m_choices.append({{QStringLiteral("data"), m_data}, {QStringLiteral("optimizer"), m_optimizer}});
    for (const auto& [name, combo] : m_choices)
        connect(combo, &QComboBox::currentTextChanged, this, &SpecForm::read);
    for (Combo* combo : {m_ranksANode, m_backend, m_model})
        connect(combo, &QComboBox::currentTextChanged, this, &SpecForm::read);
    for (Field* field : {m_nodes, m_path, m_port, m_grace, m_restarts, m_env, m_arguments})
        connect(field, &QLineEdit::textChanged, this, &SpecForm::read);
    for (const auto& [name, field] : m_options)
        connect(field, &QLineEdit::textChanged, this, &SpecForm::read);
    connect(m_choice, &QComboBox::activated, this, [this](int index) {
        if (index >= 0 && index < m_specs.size()) {
            setSpec(m_specs.at(index));
            emit edited();
        }
    });
    setSpec(RunSpec::demo());
    setSpecs({RunSpec::demo()});
}

QHBoxLayout* SpecForm::addRow(const QString& label)
{
    auto* line = new QWidget;
    line->setFixedHeight(m_theme.px(kRowHigh));
    auto* row = makeRow(line);
    row->setContentsMargins(m_theme.px(16), 0, m_theme.px(16), 0);
    QLabel* words = makeLabel(m_theme, FontRole::Cell, Tone::Text2, label);
    words->setFixedWidth(m_theme.px(kLabelWide));
    row->addWidget(words);
    m_rows->addWidget(line);
    return row;
}

Field* SpecForm::addField(QHBoxLayout& row, const QString& label, const QString& name, int characters)
{
    QLabel* words = makeLabel(m_theme, FontRole::Cell, Tone::Text2, label);
    auto* field = new Field(m_theme, {});
    field->setCharacters(characters);
    field->setObjectName(name);
    words->setBuddy(field);
    row.addWidget(words);
    row.addWidget(field);
    return field;
}

void SpecForm::makeTargetRow()
{
    QHBoxLayout* row = addRow(QStringLiteral("Spec"));
    m_choice = addCombo(m_theme, *row, {}, {});
    m_choice->setObjectName(QStringLiteral("spec"));
    m_choice->setMinimumWidth(m_theme.px(120));
    m_editedTag = makeLabel(m_theme, FontRole::Caption, Tone::Text2);
    m_editedTag->setProperty("look", QStringLiteral("tag"));
    m_editedTag->setFixedHeight(m_theme.px(20));
    row->addWidget(m_editedTag);
    row->addSpacing(m_theme.px(8));
    m_nodes = addField(*row, QStringLiteral("Nodes"), QStringLiteral("nodes"), 16);
    m_nodes->setMinimumWidth(m_theme.px(110));
    m_nodes->setMaximumWidth(m_theme.px(200));
    row->setStretchFactor(m_nodes, 3);
    m_nodes->setPlaceholderText(QStringLiteral("this machine"));
    m_found = new ElidedLabel(m_theme, FontRole::Cell, Tone::Text2);
    row->addWidget(m_found, 1);
    row->addWidget(makeLabel(m_theme, FontRole::Cell, Tone::Text2, QStringLiteral("Ranks a node")));
    m_ranksANode = addCombo(m_theme, *row, {}, ranksANodeChoices());
    m_ranksANode->setObjectName(QStringLiteral("ranksANode"));
    row->addSpacing(m_theme.px(8));
    row->addWidget(makeLabel(m_theme, FontRole::Cell, Tone::Text2, QStringLiteral("Backend")));
    m_backend =
        addCombo(m_theme, *row, {}, {toString(Backend::Auto), toString(Backend::Gloo), toString(Backend::Nccl)});
    m_backend->setObjectName(QStringLiteral("backend"));
}

void SpecForm::makeProgramRow()
{
    m_program = new ProgramRow(m_theme);
    addRow(QStringLiteral("Program"))->addWidget(m_program, 1);
    connect(m_program, &ProgramRow::edited, this, &SpecForm::read);
}

void SpecForm::makeTrainingRow()
{
    QHBoxLayout* row = addRow(QStringLiteral("Training"));
    m_model = addCombo(m_theme, *row, QStringLiteral("model"), choicesOf(QStringLiteral("model")));
    for (const char* own : {"library", "torchscript"}) // chosen by the row above
        m_model->removeItem(m_model->findText(QString::fromLatin1(own)));
    m_model->setObjectName(QStringLiteral("model"));
    m_data = addCombo(m_theme, *row, QStringLiteral("data"), choicesOf(QStringLiteral("data")));
    m_data->setObjectName(QStringLiteral("data"));
    m_path = new Field(m_theme, QStringLiteral("folder"));
    m_path->setObjectName(QStringLiteral("data_path"));
    m_path->setToolTip(QStringLiteral("Empty: ") + usualValue({}, QStringLiteral("data_path")));
    m_path->setMinimumWidth(m_theme.px(60));
    m_path->setMaximumWidth(m_theme.px(180));
    row->addWidget(m_path, 1);
    m_options.append(
        {QStringLiteral("batch"), addField(*row, QStringLiteral("Batch a rank"), QStringLiteral("batch"), 5)});
    m_total = makeLabel(m_theme, FontRole::Cell, Tone::Text2);
    row->addWidget(m_total);
    row->addSpacing(m_theme.px(8));
    m_options.append({QStringLiteral("epochs"), addField(*row, QStringLiteral("Epochs"), QStringLiteral("epochs"), 4)});
    row->addSpacing(m_theme.px(8));
    row->addWidget(makeLabel(m_theme, FontRole::Cell, Tone::Text2, QStringLiteral("Optimiser")));
    m_optimizer = addCombo(m_theme, *row, {}, choicesOf(QStringLiteral("optimizer")));
    m_optimizer->setObjectName(QStringLiteral("optimizer"));
    row->addSpacing(m_theme.px(8));
    m_options.append({QStringLiteral("lr"), addField(*row, QStringLiteral("lr"), QStringLiteral("lr"), 5)});
    row->addStretch(1);
}

void SpecForm::makeAdvanced()
{
    QHBoxLayout* row = addRow({});
    m_disclose = new Button(m_theme, QStringLiteral("Advanced"), ButtonKind::Flat, Icon::Right, ButtonSize::Small);
    m_disclose->setCheckable(true);
    m_summary = new ElidedLabel(m_theme, FontRole::Cell, Tone::Text2);
    row->addWidget(m_disclose);
    row->addWidget(m_summary, 1);
    m_advanced = new QWidget;
    auto* outer = m_rows;
    m_rows = makeColumn(m_advanced);
    QHBoxLayout* parallel = addRow({});
    for (const auto& [label, name] :
         {std::pair{"strategy", "strategy"}, {"precision", "precision"}, {"schedule", "schedule"}}) {
        Combo* combo = addCombo(m_theme, *parallel, QString::fromLatin1(label), choicesOf(QString::fromLatin1(name)));
        combo->setObjectName(QString::fromLatin1(name));
        m_choices.append({QString::fromLatin1(name), combo});
    }
    for (const auto& [label, name, characters] : {std::tuple{"forwards a step", "accumulate", 4},
                                                  {"clip norm", "clip_norm", 5},
                                                  {"checkpoints", "checkpoint", 24}})
        m_options.append({QString::fromLatin1(name),
                          addField(*parallel, QString::fromLatin1(label), QString::fromLatin1(name), characters)});
    parallel->addStretch(1);
    QHBoxLayout* first = addRow({});
    for (const auto& [label, name, characters] : {std::tuple{"momentum", "momentum", 5},
                                                  {"weight decay", "weight_decay", 7},
                                                  {"seed", "seed", 6},
                                                  {"threads a rank", "threads", 5},
                                                  {"bucket, MiB", "bucket_mb", 5}})
        m_options.append({QString::fromLatin1(name),
                          addField(*first, QString::fromLatin1(label), QString::fromLatin1(name), characters)});
    m_port = addField(*first, QStringLiteral("master port"), QStringLiteral("master_port"), 6);
    m_port->setPlaceholderText(QStringLiteral("free"));
    m_grace = addField(*first, QStringLiteral("grace, s"), QStringLiteral("grace"), 4);
    m_restarts = addField(*first, QStringLiteral("restarts"), QStringLiteral("restarts"), 4);
    m_restarts->setPlaceholderText(QStringLiteral("never"));
    first->addStretch(1);
    QHBoxLayout* second = addRow({});
    m_env = addField(*second, QStringLiteral("environment"), QStringLiteral("env"), 30);
    m_env->setPlaceholderText(QStringLiteral("NAME=value NAME2='two words'"));
    m_arguments = addField(*second, QStringLiteral("further arguments"), QStringLiteral("arguments"), 30);
    m_arguments->setPlaceholderText(QStringLiteral("as on a command line"));
    second->addStretch(1);
    m_files = new FilesRow(m_theme);
    addRow({})->addWidget(m_files, 1);
    connect(m_files, &FilesRow::edited, this, &SpecForm::read);
    m_all = new OptionPanel(m_theme);
    m_rows->addWidget(m_all);
    m_rows = outer;
    m_rows->addWidget(m_advanced);
    m_advanced->hide();
    connect(m_disclose, &QPushButton::toggled, m_advanced, &QWidget::setVisible);
    connect(m_all, &OptionPanel::edited, this, [this](const QString& name, const QString& value) {
        setOrDrop(m_spec, m_opened, name.toLatin1().constData(), value);
        fill();
        read();
    });
}

void SpecForm::setSpecs(const QList<RunSpec>& specs)
{
    m_specs = specs;
    m_filling = true;
    m_choice->clear();
    for (const RunSpec& spec : specs)
        m_choice->addItem(spec.name);
    m_filling = false;
    choose(*m_choice, m_spec.name);
}

void SpecForm::setSpec(const RunSpec& spec)
{
    m_spec = spec;
    m_opened = spec;
    fill();
    read();
}

void SpecForm::setNodesFound(Found found, const QString& text)
{
    setTone(*m_found, found == Found::Right ? Tone::Text2 : Tone::Bad);
    m_found->setText(text);
    m_nodes->setWrong(found == Found::Right ? QString() : text);
}

void SpecForm::setWorldSize(int ranks)
{
    const int batch = valueInUse(m_spec, QStringLiteral("batch")).toInt();
    m_total->setText(batch > 0 && ranks > 0 ? QStringLiteral("%1 in all").arg(figures::grouped(qint64(batch) * ranks))
                                            : QString());
}

void SpecForm::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_total->setVisible(width() >= m_theme.px(kRoomForTotal));
}

void SpecForm::fill()
{
    m_filling = true;
    choose(*m_choice, m_spec.name);
    m_nodes->setText(m_spec.nodes);
    choose(*m_ranksANode, ranksANodeText(m_spec.ranksPerNode));
    choose(*m_backend, toString(m_spec.backend));
    m_program->show(m_spec);
    if (!m_program->ownModel())
        choose(*m_model, valueInUse(m_spec, QStringLiteral("model")));
    for (const auto& [name, combo] : m_choices)
        choose(*combo, valueInUse(m_spec, name));
    m_path->setText(QString::fromUtf8(m_spec.option(QStringLiteral("data_path"))));
    for (const auto& [name, field] : m_options)
        field->setText(QString::fromUtf8(m_spec.option(name)));
    m_port->setText(m_spec.masterPort > 0 ? QString::number(m_spec.masterPort) : QString());
    m_grace->setText(QString::number(m_spec.graceS));
    m_restarts->setText(m_spec.restarts > 0 ? QString::number(m_spec.restarts) : QString());
    m_env->setText(environmentText(m_spec.env));
    m_arguments->setText(wordsText(m_spec.arguments));
    m_files->show(m_spec);
    m_filling = false;
}

void SpecForm::read()
{
    if (m_filling)
        return;
    m_wrong.clear();
    const auto take = [this](Field& field, const QString& reason) {
        field.setWrong(reason);
        if (m_wrong.isEmpty())
            m_wrong = reason;
    };
    m_spec.nodes = m_nodes->text().trimmed();
    m_spec.ranksPerNode = ranksANode(m_ranksANode->currentText());
    for (const Backend backend : {Backend::Auto, Backend::Gloo, Backend::Nccl})
        if (toString(backend) == m_backend->currentText())
            m_spec.backend = backend;
    m_model->setDisabled(m_program->ownModel());
    if (!m_program->ownModel())
        setOrDrop(m_spec, m_opened, "model", m_model->currentText());
    m_wrong = m_program->read(m_spec);
    for (const auto& [name, combo] : m_choices)
        setOrDrop(m_spec, m_opened, name.toLatin1().constData(), combo->currentText());
    setOrDrop(m_spec, m_opened, "data_path", m_path->text());
    for (const auto& [name, field] : m_options) {
        take(*field, wrongNumber(name, field->text()));
        setOrDrop(m_spec, m_opened, name.toLatin1().constData(), field->text().trimmed());
        field->setPlaceholderText(usualText(m_spec, name));
    }
    const auto port = parsePort(m_port->text().trimmed().isEmpty() ? QStringLiteral("0") : m_port->text().trimmed(),
                                m_spec.allowLowPort);
    take(*m_port, port ? QString() : port.error().text);
    m_spec.masterPort = port.value_or(m_spec.masterPort);
    take(*m_grace, wrongNumber(QStringLiteral("grace"), m_grace->text()));
    m_spec.graceS = m_grace->text().toInt();
    take(*m_restarts, wrongNumber(QStringLiteral("restarts"), m_restarts->text()));
    m_spec.restarts = m_restarts->text().toInt();
    if (const QString wrong = m_files->read(m_spec); m_wrong.isEmpty())
        m_wrong = wrong;
    if (m_env->text() != environmentText(m_spec.env))
        take(*m_env, readEnvironment(m_env->text(), m_spec.env));
    if (m_arguments->text() != wordsText(m_spec.arguments))
        take(*m_arguments, readWords(m_arguments->text(), m_spec.arguments));
    for (const TrainerOption& option : m_spec.trainer) {
        if (const auto right = checkTrainerOption(option.name, option.value); !right && m_wrong.isEmpty())
            m_wrong = right.error().text;
    }
    m_all->setSpec(m_spec);
    showEdited();
    emit edited();
}

void SpecForm::showEdited()
{
    const QStringList names = differingNames(m_opened, m_spec);
    m_editedTag->setVisible(!names.isEmpty());
    m_editedTag->setText(names.size() > 2 ? QStringLiteral("edited: %1 settings").arg(names.size())
                                          : QStringLiteral("edited: %1").arg(names.join(QStringLiteral(", "))));
    m_editedTag->setToolTip(names.join(QStringLiteral(", ")));
    m_summary->setText(advancedSummary(m_spec));
}

} // namespace lockstep::ui
