// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/specform.h"

#include "core/traineroptions.h"
#include "ui/launch/advancedrows.h"
#include "ui/launch/formrow.h"
#include "ui/launch/optionfields.h"
#include "ui/launch/programrow.h"
#include "ui/launch/specfields.h"
#include "ui/plots/figures.h"
#include "ui/widgets/button.h"
#include "ui/widgets/combo.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/plaintooltip.h"

#include <QBoxLayout>

namespace lockstep::ui {

namespace {

constexpr int kRoomForTotal = 1100; // in a narrower form "2,048 in all" gives way first

} // namespace

SpecForm::SpecForm(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_rows(makeColumn(this)), m_options(new OptionFields(this))
{
    makeTargetRow();
    makeProgramRow();
    makeTrainingRow();
    makeAdvanced();
    connect(m_options, &OptionFields::edited, this, &SpecForm::read);
    for (Combo* combo : {m_ranksANode, m_backend, m_model})
        connect(combo, &QComboBox::currentTextChanged, this, &SpecForm::read);
    for (Field* field : {m_nodes, m_path})
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

void SpecForm::makeTargetRow()
{
    QHBoxLayout* row = addFormRow(m_theme, *m_rows, QStringLiteral("Spec"));
    m_choice = addCombo(m_theme, *row, {}, QStringLiteral("spec"), {});
    m_choice->setMinimumWidth(m_theme.px(120));
    m_editedTag = makeLabel(m_theme, FontRole::Caption, Tone::Text2);
    m_editedTag->setProperty("look", QStringLiteral("tag"));
    m_editedTag->setFixedHeight(m_theme.px(20));
    row->addWidget(m_editedTag);
    row->addSpacing(m_theme.px(8));
    m_nodes = addField(m_theme, *row, QStringLiteral("Nodes"), QStringLiteral("nodes"), 16);
    m_nodes->setMinimumWidth(m_theme.px(110));
    m_nodes->setMaximumWidth(m_theme.px(200));
    row->setStretchFactor(m_nodes, 3);
    m_nodes->setPlaceholderText(QStringLiteral("this machine"));
    m_found = new ElidedLabel(m_theme, FontRole::Cell, Tone::Text2);
    row->addWidget(m_found, 1);
    row->addWidget(makeLabel(m_theme, FontRole::Cell, Tone::Text2, QStringLiteral("Ranks a node")));
    m_ranksANode = addCombo(m_theme, *row, {}, QStringLiteral("ranksANode"), ranksANodeChoices());
    row->addSpacing(m_theme.px(8));
    row->addWidget(makeLabel(m_theme, FontRole::Cell, Tone::Text2, QStringLiteral("Backend")));
    m_backend = addCombo(m_theme, *row, {}, QStringLiteral("backend"),
                         {toString(Backend::Auto), toString(Backend::Gloo), toString(Backend::Nccl)});
}

void SpecForm::makeProgramRow()
{
    m_program = new ProgramRow(m_theme);
    addFormRow(m_theme, *m_rows, QStringLiteral("Program"))->addWidget(m_program, 1);
    connect(m_program, &ProgramRow::edited, this, &SpecForm::read);
}

void SpecForm::makeTrainingRow()
{
    QHBoxLayout* row = addFormRow(m_theme, *m_rows, QStringLiteral("Training"));
    const auto list = [&](const char* caption, const char* name) {
        const QString option = QString::fromLatin1(name);
        return addCombo(m_theme, *row, QString::fromLatin1(caption), option, choicesOf(option));
    };
    const auto line = [&](const char* label, const char* name, int characters) {
        m_options->add(addField(m_theme, *row, QString::fromLatin1(label), QString::fromLatin1(name), characters));
    };
    m_model = list("model", "model");
    for (const char* own : {"library", "torchscript"}) // chosen by the row above
        m_model->removeItem(m_model->findText(QString::fromLatin1(own)));
    m_options->add(list("data", "data"));
    m_path = new Field(m_theme, QStringLiteral("folder"));
    m_path->setObjectName(QStringLiteral("data_path"));
    m_path->setToolTip(plainToolTip(QStringLiteral("Empty: ") + usualValue({}, QStringLiteral("data_path"))));
    m_path->setMinimumWidth(m_theme.px(60));
    m_path->setMaximumWidth(m_theme.px(180));
    row->addWidget(m_path, 1);
    line("Batch a rank", "batch", 5);
    m_total = makeLabel(m_theme, FontRole::Cell, Tone::Text2);
    row->addWidget(m_total);
    row->addSpacing(m_theme.px(8));
    line("Epochs", "epochs", 4);
    row->addSpacing(m_theme.px(8));
    row->addWidget(makeLabel(m_theme, FontRole::Cell, Tone::Text2, QStringLiteral("Optimiser")));
    m_options->add(list("", "optimizer"));
    row->addSpacing(m_theme.px(8));
    line("lr", "lr", 5);
    row->addStretch(1);
}

void SpecForm::makeAdvanced()
{
    QHBoxLayout* row = addFormRow(m_theme, *m_rows, {});
    m_disclose = new Button(m_theme, QStringLiteral("Advanced"), ButtonKind::Flat, Icon::Right, ButtonSize::Small);
    m_disclose->setCheckable(true);
    m_summary = new ElidedLabel(m_theme, FontRole::Cell, Tone::Text2);
    row->addWidget(m_disclose);
    row->addWidget(m_summary, 1);
    m_advanced = new AdvancedRows(m_theme);
    m_rows->addWidget(m_advanced);
    m_advanced->hide();
    connect(m_disclose, &QPushButton::toggled, m_advanced, &QWidget::setVisible);
    connect(m_disclose, &QPushButton::toggled, this,
            [this](bool open) { m_disclose->setPicture(open ? Icon::Down : Icon::Right); });
    connect(m_advanced, &AdvancedRows::edited, this, &SpecForm::read);
    connect(m_advanced, &AdvancedRows::optionSet, this, [this](const QString& name, const QString& value) {
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
    m_path->setText(QString::fromUtf8(m_spec.option(QStringLiteral("data_path"))));
    m_options->show(m_spec);
    m_advanced->show(m_spec);
    m_filling = false;
}

void SpecForm::read()
{
    if (m_filling)
        return;
    m_spec.nodes = m_nodes->text().trimmed();
    m_spec.ranksPerNode = ranksANode(m_ranksANode->currentText());
    for (const Backend backend : {Backend::Auto, Backend::Gloo, Backend::Nccl})
        if (toString(backend) == m_backend->currentText())
            m_spec.backend = backend;
    m_model->setDisabled(m_program->ownModel());
    if (!m_program->ownModel())
        setOrDrop(m_spec, m_opened, "model", m_model->currentText());
    m_wrong = m_program->read(m_spec);
    const auto take = [this](const QString& reason) {
        if (m_wrong.isEmpty())
            m_wrong = reason;
    };
    setOrDrop(m_spec, m_opened, "data_path", m_path->text());
    take(m_options->read(m_spec, m_opened));
    take(m_advanced->read(m_spec, m_opened));
    for (const TrainerOption& option : m_spec.trainer)
        if (const auto right = checkTrainerOption(option.name, option.value); !right)
            take(right.error().text);
    m_advanced->showOptions(m_spec);
    showEdited();
    emit edited();
}

void SpecForm::showEdited()
{
    const QStringList names = differingNames(m_opened, m_spec);
    m_editedTag->setVisible(!names.isEmpty());
    m_editedTag->setText(names.size() > 2 ? QStringLiteral("edited: %1 settings").arg(names.size())
                                          : QStringLiteral("edited: %1").arg(names.join(QStringLiteral(", "))));
    m_editedTag->setToolTip(plainToolTip(names.join(QStringLiteral(", "))));
    m_summary->setText(advancedSummary(m_spec));
}

} // namespace lockstep::ui
