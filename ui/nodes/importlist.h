// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts to import, with a box each: those of ~/.ssh/config, or of a file that is named here; below them the lines that
// were not understood. Nothing is contacted before Import is pressed.
#pragma once

#include "ui/theme.h"

#include <QList>
#include <QPair>
#include <QWidget>

class QCheckBox;
class QLabel;
class QVBoxLayout;

namespace lockstep::ui {

class Button;
class Field;

struct ImportOffer {
    QString file;                         // as it was typed; empty: ~/.ssh/config
    QList<QPair<QString, QString>> hosts; // name, what is known of it ("alice@10.0.0.11, 8 slots", "via login")
    QStringList problems;                 // "hosts:9: ..." of lines that were left out
};

class ImportList : public QWidget {
    Q_OBJECT

public:
    explicit ImportList(Theme& theme, QWidget* parent = nullptr);
    // Of ~/.ssh/config, those already in the inventory are left out; a file's may have changed, so they are offered.
    void setOffer(const ImportOffer& offer, const QStringList& known);
    void setRefused(const QString& sentence); // the file that was asked for
    [[nodiscard]] QStringList chosen() const;
    [[nodiscard]] const ImportOffer& offer() const { return m_offer; }
    [[nodiscard]] Field& field() { return *m_file; }

signals:
    void importRequested(const QString& file, const QStringList& names); // file empty: ~/.ssh/config
    void fileWanted(const QString& path);                                // answered by setOffer or setRefused

private:
    void fillBoxes(const QStringList& known);
    void fillProblems();
    void recount();

    Theme& m_theme;
    ImportOffer m_offer;
    Field* m_file;
    QLabel* m_caption;
    QVBoxLayout *m_boxes, *m_problems;
    Button* m_import;
    QList<QCheckBox*> m_checks;
};

} // namespace lockstep::ui
