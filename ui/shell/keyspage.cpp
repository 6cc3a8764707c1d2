// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/keyspage.h"

#include "ui/shell/pageframe.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QGridLayout>

namespace lockstep::ui {

namespace {

struct Key {
    const char* keys;
    const char* does;
};
struct Section {
    const char* title;
    std::initializer_list<Key> keys;
};

const Section kSections[]{
    {"everywhere",
     {{"Ctrl 1", "Nodes"},
      {"Ctrl 2", "Launch"},
      {"Ctrl 3", "Runs"},
      {"/", "filter the table of the page"},
      {"Ctrl C", "copy the selected rows as text, with their header"},
      {"Ctrl R", "run the demo"},
      {"F1", "this page"}}},
    {"Nodes", {{"Ctrl N", "add a node"}, {"Enter", "do what the row's accent word says"}}},
    {"Launch", {{"Ctrl Enter", "launch, where nothing stops it"}}},
    {"Runs", {{"Enter", "open the run"}, {"Ctrl click", "select several to lay them over each other"}}},
    {"a run",
     {{"F", "follow the newest again (double click does the same)"},
      {"wheel", "zoom at the cursor"},
      {"drag", "pan"},
      {"L", "logarithmic y"},
      {"S", "smoothing"},
      {"Ctrl F", "find in the log"},
      {"Ctrl W", "close the run's page; the run itself goes on"}}},
};

} // namespace

KeysPage::KeysPage(Theme& theme, QWidget* parent) : QWidget(parent)
{
    QVBoxLayout* column =
        makePageFrame(theme, *this, QStringLiteral("Keys"), QStringLiteral("Everything works without a mouse"));
    const int keyWidth = theme.textWidth(FontRole::Caption, QStringLiteral("Ctrl Enter")) + theme.px(24);
    for (const Section& section : kSections) {
        column->addWidget(makeLabel(theme, FontRole::PanelTitle, Tone::Text, QString::fromLatin1(section.title)));
        auto* grid = new QGridLayout;
        grid->setContentsMargins(0, 0, 0, theme.px(12));
        grid->setHorizontalSpacing(theme.px(16));
        grid->setVerticalSpacing(theme.px(6));
        grid->setColumnMinimumWidth(0, keyWidth);
        grid->setColumnStretch(1, 1);
        int row = 0;
        for (const Key& key : section.keys) {
            QLabel* keys = makeLabel(theme, FontRole::Caption, Tone::Text2, QString::fromLatin1(key.keys));
            keys->setProperty("look", QStringLiteral("key"));
            keys->setFixedHeight(theme.px(18));
            grid->addWidget(keys, row, 0, Qt::AlignLeft);
            grid->addWidget(makeLabel(theme, FontRole::Cell, Tone::Text, QString::fromLatin1(key.does)), row++, 1);
        }
        column->addLayout(grid);
    }
    column->addStretch(1);
}

} // namespace lockstep::ui
