// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/windowsettings.h"

#include "app/screenshots.h"

#include <QWidget>

namespace lockstep {
namespace {

constexpr QSize kFirstSize(1440, 900); // the size that the pages are drawn for
constexpr char kScheme[] = "scheme";
constexpr char kGeometry[] = "geometry";

QString nameOf(ui::SchemeChoice choice)
{
    switch (choice) {
    case ui::SchemeChoice::System:
        break;
    case ui::SchemeChoice::Light:
        return QStringLiteral("light");
    case ui::SchemeChoice::Dark:
        return QStringLiteral("dark");
    }
    return {};
}

} // namespace

WindowSettings::WindowSettings(const DataFolder& folder)
    : m_settings(folder.path() + QStringLiteral("/window.ini"), QSettings::IniFormat)
{
}

ui::SchemeChoice WindowSettings::scheme() const
{
    return choiceOf(m_settings.value(kScheme).toString());
}

void WindowSettings::setScheme(ui::SchemeChoice choice)
{
    m_settings.setValue(kScheme, nameOf(choice));
}

void WindowSettings::restore(QWidget& window) const
{
    if (!window.restoreGeometry(m_settings.value(kGeometry).toByteArray()))
        window.resize(kFirstSize);
}

void WindowSettings::save(const QWidget& window)
{
    m_settings.setValue(kGeometry, window.saveGeometry());
}

} // namespace lockstep
