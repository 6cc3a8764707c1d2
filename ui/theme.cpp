// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"

#include "ui/stylesheet.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QStyleFactory>
#include <QToolTip>

#include <cmath>

namespace lockstep::ui {

namespace {

constexpr double kUsualPoints = 10; // a system font of 9 to 11 points means: 100 %

bool evenDigits(const QString& family)
{
    const QFontMetricsF metrics{QFont(family)};
    const double zero = metrics.horizontalAdvance(u'0');
    for (char16_t digit = u'1'; digit <= u'9'; ++digit)
        if (std::abs(metrics.horizontalAdvance(QChar(digit)) - zero) > 0.01)
            return false;
    return true;
}

QString chooseFamily(const QString& systemFamily)
{
    QString roboto = QStringLiteral("Roboto");
    if (QFontDatabase::hasFamily(roboto))
        return roboto;
    return evenDigits(systemFamily) ? systemFamily : QStringLiteral("DejaVu Sans");
}

QString chooseMono()
{
    const QString mono = QStringLiteral("DejaVu Sans Mono");
    return QFontDatabase::hasFamily(mono) ? mono : QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
}

struct FontSize {
    int pixels;
    QFont::Weight weight;
};

FontSize sizeOf(FontRole role)
{
    switch (role) {
    case FontRole::PageTitle:
        return {18, QFont::Medium};
    case FontRole::CardTitle:
        return {15, QFont::Medium};
    case FontRole::Control:
        return {13, QFont::Normal};
    case FontRole::PanelTitle:
        return {13, QFont::Medium};
    case FontRole::Cell:
        return {12, QFont::Normal};
    case FontRole::CellStrong:
        return {12, QFont::Medium};
    case FontRole::Caption:
    case FontRole::Mono:
        return {11, QFont::Normal};
    }
    return {12, QFont::Normal};
}

} // namespace

Theme::Theme(QApplication& application, QObject* parent) : QObject(parent), m_application(application)
{
    const QFont system = QApplication::font();
    const double points = system.pointSizeF() > 0 ? system.pointSizeF() : kUsualPoints;
    m_factor = std::abs(points / kUsualPoints - 1) <= 0.101 ? 1 : std::clamp(points / kUsualPoints, 0.8, 3.0);
    m_family = chooseFamily(system.family());
    m_mono = chooseMono();
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    readSystem();
    apply();
    m_application.installEventFilter(this);
}

Theme::~Theme() = default;

Scheme Theme::scheme() const
{
    switch (m_choice) {
    case SchemeChoice::System:
        return m_system;
    case SchemeChoice::Light:
        return Scheme::Light;
    case SchemeChoice::Dark:
        return Scheme::Dark;
    }
    return Scheme::Light;
}

void Theme::setChoice(SchemeChoice choice)
{
    const Scheme before = scheme();
    m_choice = choice;
    if (scheme() == before)
        return;
    apply();
    emit changed();
}

QFont Theme::font(FontRole role) const
{
    const FontSize size = sizeOf(role);
    QFont font(role == FontRole::Mono ? m_mono : m_family);
    font.setPixelSize(px(size.pixels));
    font.setWeight(size.weight);
    font.setHintingPreference(QFont::PreferNoHinting); // Roboto's digits keep their equal, fractional advance
    if (role == FontRole::Mono)
        font.setStyleHint(QFont::Monospace);
    return font;
}

int Theme::px(int at100) const
{
    return static_cast<int>(std::lround(at100 * m_factor));
}

int Theme::textWidth(FontRole role, const QString& text) const
{
    return static_cast<int>(std::ceil(QFontMetricsF(font(role)).horizontalAdvance(text)));
}

QIcon Theme::icon(Icon icon, const QColor& colour, int size) const
{
    QIcon result;
    for (const qreal ratio : {1.0, 2.0}) {
        result.addPixmap(pixmap(icon, colour, size, ratio), QIcon::Normal);
        result.addPixmap(pixmap(icon, tokens().text3, size, ratio), QIcon::Disabled);
    }
    return result;
}

QPixmap Theme::pixmap(Icon icon, const QColor& colour, int size, qreal ratio) const
{
    return iconPixmap(icon, colour, px(size), ratio);
}

bool Theme::eventFilter(QObject* watched, QEvent* event)
{
    // The system's own switch arrives as ThemeChange at windows; our palette would otherwise hide it.
    if (event->type() == QEvent::ThemeChange && !m_applying && m_choice == SchemeChoice::System) {
        const Scheme before = m_system;
        readSystem();
        apply();
        if (m_system != before)
            emit changed();
    }
    return QObject::eventFilter(watched, event);
}

void Theme::readSystem()
{
    m_applying = true;
    QApplication::setPalette(QPalette()); // uncovers the platform's
    m_system = QApplication::palette().color(QPalette::Window).lightness() < 128 ? Scheme::Dark : Scheme::Light;
    m_applying = false;
}

void Theme::apply()
{
    m_applying = true;
    QApplication::setPalette(palette(tokens()));
    QApplication::setFont(font(FontRole::Control));
    QToolTip::setFont(font(FontRole::Cell));
    QToolTip::setPalette(palette(tokens()));
    m_application.setStyleSheet(styleSheet(*this));
    m_applying = false;
}

} // namespace lockstep::ui
