// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/preferencespage.h"

#include "ui/shell/pageframe.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QButtonGroup>
#include <QCheckBox>
#include <QRadioButton>

namespace lockstep::ui {

PreferencesPage::PreferencesPage(Theme& theme, QWidget* parent) : QWidget(parent)
{
    QVBoxLayout* column = makePageFrame(theme, *this, QStringLiteral("Preferences"), QStringLiteral("taken at once"));
    column->addWidget(makeLabel(theme, FontRole::PanelTitle, Tone::Text, QStringLiteral("colours")));
    auto* group = new QButtonGroup(this);
    for (const auto& [choice, words, name] :
         {std::tuple{SchemeChoice::System, "as the system has them", "schemeSystem"},
          {SchemeChoice::Light, "light", "schemeLight"},
          {SchemeChoice::Dark, "dark", "schemeDark"}}) {
        auto* radio = new QRadioButton(QString::fromLatin1(words));
        radio->setFont(theme.font(FontRole::Control));
        radio->setObjectName(QString::fromLatin1(name));
        radio->setChecked(theme.choice() == choice);
        group->addButton(radio);
        column->addWidget(radio);
        connect(radio, &QRadioButton::toggled, this, [this, &theme, chosen = choice](bool on) {
            if (!on)
                return;
            theme.setChoice(chosen);
            emit schemeChosen(chosen);
        });
    }
    column->addSpacing(theme.px(16));
    column->addWidget(makeLabel(theme, FontRole::PanelTitle, Tone::Text, QStringLiteral("rail")));
    auto* icons = new QCheckBox(QStringLiteral("icons only, also in a wide window"));
    icons->setFont(theme.font(FontRole::Control));
    column->addWidget(icons);
    connect(icons, &QCheckBox::toggled, this,
            [this](bool on) { emit railChosen(on ? RailChoice::Always : RailChoice::ByWidth); });
    column->addStretch(1);
}

} // namespace lockstep::ui
