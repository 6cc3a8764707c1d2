// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/filesrow.h"

#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QDir>
#include <QFileInfo>
#include <QLabel>

namespace lockstep::ui {

namespace {

Field* addField(Theme& theme, QHBoxLayout& row, const QString& label, const QString& name, const QString& hint,
                int characters)
{
    QLabel* words = makeLabel(theme, FontRole::Cell, Tone::Text2, label);
    auto* field = new Field(theme, hint);
    field->setObjectName(name);
    field->setCharacters(characters);
    words->setBuddy(field);
    row.addWidget(words);
    row.addWidget(field);
    return field;
}

} // namespace

FilesRow::FilesRow(Theme& theme, QWidget* parent) : QWidget(parent)
{
    auto* row = makeRow(this);
    m_folder = addField(theme, *row, QStringLiteral("folder to send"), QStringLiteral("folder"),
                        QStringLiteral("none; what git ignores stays here"), 26);
    m_directory = addField(theme, *row, QStringLiteral("ranks work in"), QStringLiteral("directory"),
                           QStringLiteral("the sent folder"), 16);
    m_results = addField(theme, *row, QStringLiteral("files to fetch"), QStringLiteral("results"),
                         QStringLiteral("*.pt, out/**"), 18);
    row->addStretch(1);
    for (Field* field : {m_folder, m_directory, m_results})
        connect(field, &QLineEdit::textChanged, this, &FilesRow::edited);
}

void FilesRow::show(const RunSpec& spec)
{
    m_folder->setText(spec.folder);
    m_directory->setText(spec.directory);
    m_results->setText(spec.results.join(QLatin1String(", ")));
}

QString FilesRow::read(RunSpec& spec) const
{
    const QString folder = m_folder->text().trimmed();
    spec.folder = folder.isEmpty() ? QString() : QDir::cleanPath(QDir::home().absoluteFilePath(folder));
    spec.directory = m_directory->text().trimmed();
    spec.results.clear();
    for (const QString& pattern : m_results->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (!pattern.trimmed().isEmpty())
            spec.results.append(pattern.trimmed());
    const QString missing = spec.folder.isEmpty() || QFileInfo(spec.folder).isDir()
                                ? QString()
                                : QStringLiteral("There is no folder %1.").arg(spec.folder);
    m_folder->setWrong(missing);
    const auto fits = checkDirectory(spec);
    const QString wrong = fits ? QString() : fits.error().text;
    m_directory->setWrong(wrong);
    return missing.isEmpty() ? wrong : missing;
}

} // namespace lockstep::ui
