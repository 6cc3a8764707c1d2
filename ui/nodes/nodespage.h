// SPDX-License-Identifier: GPL-3.0-or-later
// The Nodes page: who is known, how each stands, what a person is asked, details of the selected one. Asks by signals.
// Thread: GUI. `theme`, `nodes` and `runs` outlive the page.
#pragma once

#include "core/nodestate.h"
#include "core/runlist.h"
#include "ui/nodes/importlist.h"
#include "ui/theme.h"

#include <QWidget>

class QLabel;
class QSplitter;

namespace lockstep::ui {

class AddNode;
class AskCards;
class Button;
class DataTable;
class NodeDetails;
class NodeDrawer;
class NodeFilter;
class NodeModel;
class StartPanel;

class NodesPage : public QWidget {
    Q_OBJECT

public:
    NodesPage(Theme& theme, NodeList& nodes, RunList& runs, QWidget* parent = nullptr);

    void setImportOffer(const ImportOffer& offer);
    void setImportRefused(const QString& sentence); // the file that was asked for by importFileWanted
    // The answers to nodesAddRequested and nodeEditRequested; a refusal is shown where it was typed. False: there is no
    // such place any more.
    bool setAdded(const QString& text, const Result<void>& added);
    bool setEdited(const QString& node, const Result<void>& saved);
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
    void act(int row); // what the action word of a row promises
    void showWhoAsks();
    [[nodiscard]] bool firstStart() const;
    [[nodiscard]] QStringList names() const;

    Theme& m_theme;
    NodeList& m_nodes;
    RunList& m_runs;
    NodeModel* m_model;
    DataTable* m_table;
    NodeDetails* m_details;
    StartPanel* m_start;
    QWidget *m_startLine, *m_startScroll, *m_empty;
    AskCards* m_cards;
    NodeDrawer* m_drawer;
    QLabel* m_caption;
    NodeFilter* m_filter;
    Button *m_checkAll, *m_importButton, *m_addButton;
    QSplitter* m_splitter;
    ImportOffer m_offer;
    QString m_selected; // the node whose details are shown
};

} // namespace lockstep::ui
