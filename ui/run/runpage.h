// SPDX-License-Identifier: GPL-3.0-or-later
// The page of one run, live or ended: header, plots on one time axis, rank table, log. Reads RunData, asks by signals.
// Thread: GUI. `theme` and `run` outlive the page.
#pragma once

#include "core/resultsshelf.h"
#include "core/rundata.h"

#include <QWidget>

#include <memory>
#include <optional>

namespace lockstep::ui {

class Theme;

class RunPage : public QWidget {
    Q_OBJECT

public:
    RunPage(Theme& theme, RunData& run, QWidget* parent = nullptr);
    ~RunPage() override;

    void setResults(const RunResults& results); // answers resultsWanted
    [[nodiscard]] int framesPainted() const;    // of the plots; grows only when something visible changed

signals:
    void stopRequested(const QString& runId, std::optional<int> graceS); // none: as its spec says
    // format: "csv"; a picture of what is seen the page saves by itself. path: a file that does not exist yet
    void exportRequested(const QString& runId, const QString& format, const QString& path);
    void launchAgainRequested(const RunSpec& spec);
    void resultsWanted(const QString& runId);
    void fetchResultsRequested(const QString& runId);
    void openFolderRequested(const QString& path);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

} // namespace lockstep::ui
