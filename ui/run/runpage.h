// SPDX-License-Identifier: GPL-3.0-or-later
// The page of one run, live or ended: header, plots on one time axis, rank table, log. Reads RunData, asks by signals.
// Thread: GUI. `theme` and `data` outlive the page.
#pragma once

#include "core/rundata.h"

#include <QWidget>

#include <memory>

namespace lockstep::ui {

class Theme;

class RunPage : public QWidget {
    Q_OBJECT

public:
    RunPage(Theme& theme, RunData& data, QWidget* parent = nullptr);
    ~RunPage() override;

    [[nodiscard]] int framesPainted() const; // of the plots; grows only when something visible changed

signals:
    void stopRequested(const QString& runId);
    // format: "png" (what is seen, path empty: ask for one), "csv"
    void exportRequested(const QString& runId, const QString& format, const QString& path);
    void launchAgainRequested(const RunSpec& spec);

private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

} // namespace lockstep::ui
