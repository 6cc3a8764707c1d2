// SPDX-License-Identifier: GPL-3.0-or-later
// The Nodes page: who is known, how each stands, what a person is asked, details of the selected one. Asks by signals.
// Thread: GUI. `theme`, `nodes` and `runs` outlive the page.
#pragma once

#include "core/nodestate.h"
#include "core/runlist.h"
#include "ui/nodes/importlist.h"
#include "ui/theme.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QSplitter;

namespace lockstep::ui {

class AddNode;
class AskCard;
class BatchCard;
class Button;
class DataTable;
class Field;
class NodeDetails;
class NodeDrawer;
class NodeModel;
class StartPanel;

class NodesPage : public QWidget {
    Q_OBJECT

public:
    NodesPage(Theme& theme, NodeList& nodes, RunList& runs, QWidget* parent = nullptr);

    void setImportOffer(const ImportOffer& offer);
    void setImportRefused(const QString& sentence); // the file that was asked for by importFileWanted
    void showNode(const QString& name);
    void focusFilter();
    void openAdd();

signals:
    void nodesAddRequested(const QString& text);
    void nodeRemoveRequested(const QString& node);
    void nodeEditRequested(const lockstep::Node& shown, const lockstep::Node& edited);
    void importRequested(const QString& file, const QStringList& names); // file empty: ~/.ssh/config
    void importFileWanted(const QString& path);
    void checkRequested(const QString& node);
    void checkAllRequested();
    void acceptHostKeyRequested(const QString& node, const QString& fingerprint);
    void deployRequested(const QString& node);
    void demoRequested();
    void demoTableRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHeader();
    void showAll(); // after a reset
    void showSelected();
    void filter();     // words, or a selection as everywhere: "gpu[1-4] & @h100"
    void act(int row); // what the action word of a row promises
    void layoutCards();
    [[nodiscard]] bool firstStart() const;
    [[nodiscard]] QStringList names() const;

    Theme& m_theme;
    NodeList& m_nodes;
    RunList& m_runs;
    NodeModel* m_model;
    DataTable* m_table;
    NodeDetails* m_details;
    StartPanel* m_start;
    QWidget *m_startLine, *m_startScroll, *m_cards, *m_empty;
    NodeDrawer* m_drawer;
    QGridLayout* m_cardGrid;
    QList<AskCard*> m_askCards;
    QLabel* m_caption;
    Field* m_filter;
    Button *m_checkAll, *m_importButton, *m_addButton;
    QSplitter* m_splitter;
    BatchCard* m_batchCard = nullptr;
    ImportOffer m_offer;
    QString m_cardsShown; // what the cards were made for
};

} // namespace lockstep::ui
