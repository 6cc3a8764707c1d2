// SPDX-License-Identifier: GPL-3.0-or-later
// Why a run failed: who ended first and how, what proves it, what it said last, what to do; the victims folded below.
#pragma once

#include "core/rundata.h"

#include <QFrame>

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace lockstep::ui {

class Button;
class MemoryPlot;
class Theme;

class CauseCard : public QFrame {
    Q_OBJECT

public:
    CauseCard(Theme& theme, const RunData& run, QWidget* parent = nullptr);
    void refresh(); // hides itself while there is no cause
    [[nodiscard]] QString title() const;

signals:
    void openInLog(int rank);
    void launchAgainRequested(const RunSpec& spec);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QWidget* makeHead();
    [[nodiscard]] QWidget* makeEvidence();
    [[nodiscard]] QWidget* makeLastLines();
    [[nodiscard]] QWidget* makeAdvice();
    [[nodiscard]] QWidget* makeFoot();
    void fillEvidence();
    void fillLastLines();
    void fillAdvice();
    void fillFoot();
    void tint();

    Theme& m_theme;
    const RunData& m_run;
    QLabel *m_icon, *m_title, *m_detail, *m_linesTitle, *m_lines, *m_proof;
    QGridLayout* m_evidence;
    QVBoxLayout* m_advice;
    MemoryPlot* m_memory;
    Button *m_openLog, *m_again, *m_fold;
    QLabel *m_victims, *m_victimWords;
    std::optional<FirstCause> m_shown;
    QString m_shownProof;
};

} // namespace lockstep::ui
