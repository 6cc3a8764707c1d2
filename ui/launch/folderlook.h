// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a folder is there, asked on a thread of its own: of a dead mount the answer may never come, and nobody waits
// for it. Thread: GUI.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>

namespace lockstep::ui {

class FolderLook : public QObject {
    Q_OBJECT

public:
    // Unknown: too many earlier ones have no answer yet; it is looked for when one has.
    enum class Found { Nothing, Looking, Folder, NoFolder, Silence, Unknown };
    enum class When { Now, Typed };                            // Typed: when no further key comes
    using Question = std::function<bool(const QString& path)>; // on another thread

    explicit FolderLook(Question question, QObject* parent = nullptr);
    [[nodiscard]] static bool isFolder(const QString& path);

    void look(const QString& path, When when); // anew, also at the same one; empty: at none
    [[nodiscard]] const QString& path() const { return m_path; }
    [[nodiscard]] Found found() const { return m_found; }
    [[nodiscard]] QString wrong() const;   // why a run cannot be launched with it yet; empty: it can
    [[nodiscard]] QString unknown() const; // says so when it is Unknown; else empty

signals:
    void answered();

private:
    void ask();
    void take(const QString& path, Found found);

    Question m_question;
    QString m_path;
    Found m_found = Found::Nothing;
    int m_going = 0;
    bool m_again = false; // asked for while too many are going
    QTimer m_silence, m_pause;
};

} // namespace lockstep::ui
