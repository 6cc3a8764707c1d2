// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/filesrow.h"

#include "ui/launch/formrow.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/plaintooltip.h"

#include <QBoxLayout>
#include <QDir>

namespace lockstep::ui {

FilesRow::FilesRow(Theme& theme, FolderLook::Question isFolder, QWidget* parent)
    : QWidget(parent), m_look(std::move(isFolder))
{
    auto* row = makeRow(this);
    m_folder = addField(theme, *row, QStringLiteral("folder to send"), QStringLiteral("folder"), 26);
    m_folder->setPlaceholderText(QStringLiteral("none; what git ignores stays here"));
    m_directory = addField(theme, *row, QStringLiteral("ranks work in"), QStringLiteral("directory"), 16);
    m_directory->setPlaceholderText(QStringLiteral("the sent folder"));
    m_results = addField(theme, *row, QStringLiteral("files to fetch"), QStringLiteral("results"), 18);
    m_results->setPlaceholderText(QStringLiteral("*.pt, out/**"));
    row->addStretch(1);
    connect(m_folder, &QLineEdit::editingFinished, this, [this] { // it may be there by now
        if (m_look.found() != FolderLook::Found::Folder)
            m_look.look(m_look.path(), FolderLook::When::Now);
    });
    connect(&m_look, &FolderLook::answered, this, &FilesRow::edited);
    for (Field* field : {m_folder, m_directory, m_results})
        connect(field, &QLineEdit::textChanged, this, &FilesRow::edited);
}

void FilesRow::show(const RunSpec& spec)
{
    m_look.look(spec.folder, FolderLook::When::Now); // anew
    m_folder->setText(spec.folder);
    m_directory->setText(spec.directory);
    m_results->setText(spec.results.join(QLatin1String(", ")));
}

QString FilesRow::read(RunSpec& spec)
{
    const QString folder = m_folder->text().trimmed();
    spec.folder = folder.isEmpty() ? QString() : QDir::cleanPath(QDir::home().absoluteFilePath(folder));
    spec.directory = m_directory->text().trimmed();
    spec.results.clear();
    for (const QString& pattern : m_results->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (!pattern.trimmed().isEmpty())
            spec.results.append(pattern.trimmed());
    if (spec.folder != m_look.path())
        m_look.look(spec.folder, FolderLook::When::Typed);
    const QString missing = m_look.wrong();
    m_folder->setWrong(m_look.found() == FolderLook::Found::Looking ? QString() : missing);
    if (const QString unknown = m_look.unknown(); !unknown.isEmpty())
        m_folder->setToolTip(plainToolTip(unknown));
    const auto fits = checkDirectory(spec);
    const QString wrong = fits ? QString() : fits.error().text;
    m_directory->setWrong(wrong);
    return missing.isEmpty() ? wrong : missing;
}

} // namespace lockstep::ui
