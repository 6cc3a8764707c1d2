// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/programrow.h"

#include "core/traineroptions.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QRadioButton>

namespace lockstep::ui {

namespace {

const QString kLibrary = QStringLiteral("library");
const QString kTorchScript = QStringLiteral("torchscript");

// Empty: neither of the two.
QString kindOf(const QString& file)
{
    if (file.endsWith(QLatin1String(".so")))
        return kLibrary;
    return file.endsWith(QLatin1String(".pt")) || file.endsWith(QLatin1String(".pth")) ? kTorchScript : QString();
}

QRadioButton* makeRadio(Theme& theme, QHBoxLayout& row, const QString& text)
{
    auto* button = new QRadioButton(text);
    button->setFont(theme.font(FontRole::Control));
    row.addWidget(button);
    row.addSpacing(theme.px(16));
    return button;
}

} // namespace

ProgramRow::ProgramRow(Theme& theme, QWidget* parent) : QWidget(parent)
{
    auto* row = makeRow(this);
    m_bundled = makeRadio(theme, *row, QStringLiteral("bundled trainer"));
    m_own = makeRadio(theme, *row, QStringLiteral("my model"));
    m_own->setObjectName(QStringLiteral("ownModel"));
    m_bundled->setChecked(true);
    m_file = new Field(theme, QStringLiteral("/path/on/every/node/model.so, or a TorchScript .pt"));
    m_file->setObjectName(QStringLiteral("model_file"));
    m_file->setCharacters(44);
    row->addWidget(m_file);
    row->addWidget(new ElidedLabel(theme, FontRole::Cell, Tone::Text2,
                                   QStringLiteral("Training in C++ on many GPUs; the same numbers as PyTorch")),
                   1);
    m_file->hide();
    connect(m_own, &QRadioButton::toggled, m_file, &QWidget::setVisible);
    connect(m_own, &QRadioButton::toggled, this, &ProgramRow::edited);
    connect(m_file, &QLineEdit::textChanged, this, &ProgramRow::edited);
}

void ProgramRow::show(const RunSpec& spec)
{
    const QString model = valueInUse(spec, QStringLiteral("model"));
    const QString file = QString::fromUtf8(spec.option(QStringLiteral("model_file")));
    const bool own = model == kLibrary || model == kTorchScript;
    (own ? m_own : m_bundled)->setChecked(true);
    m_file->setText(file);
    m_file->setVisible(own);
}

bool ProgramRow::ownModel() const
{
    return m_own->isChecked();
}

QString ProgramRow::read(RunSpec& spec) const
{
    const QString file = m_file->text().trimmed();
    if (!ownModel()) {
        spec.trainer.removeIf([](const TrainerOption& option) { return option.name == QLatin1String("model_file"); });
        return {};
    }
    QString wrong;
    if (file.isEmpty())
        wrong = QStringLiteral("Name the file of your model.");
    else if (kindOf(file).isEmpty())
        wrong = QStringLiteral("A model of your own is a shared object (.so) or a TorchScript module (.pt).");
    m_file->setWrong(wrong);
    if (wrong.isEmpty()) {
        spec.setOption(QStringLiteral("model"), kindOf(file).toUtf8());
        spec.setOption(QStringLiteral("model_file"), file.toUtf8());
    }
    return wrong;
}

} // namespace lockstep::ui
