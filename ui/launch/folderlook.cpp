// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/folderlook.h"

#include <QFileInfo>
#include <QFutureWatcher>
#include <QPromise>

#include <chrono>
#include <memory>
#include <thread>

namespace lockstep::ui {

namespace {

constexpr std::chrono::seconds kSilence{3};            // a disk that sleeps takes longer; its answer still counts
constexpr std::chrono::milliseconds kTypingPause{300}; // longer than between two keys: half a path is not looked for
constexpr int kMostGoing = 8;                          // threads that a dead mount may hold

} // namespace

FolderLook::FolderLook(Question question, QObject* parent) : QObject(parent), m_question(std::move(question))
{
    m_silence.setSingleShot(true);
    m_silence.setInterval(kSilence);
    connect(&m_silence, &QTimer::timeout, this, [this] { take(m_path, Found::Silence); });
    m_pause.setSingleShot(true);
    connect(&m_pause, &QTimer::timeout, this, &FolderLook::ask);
}

bool FolderLook::isFolder(const QString& path)
{
    return QFileInfo(path).isDir();
}

void FolderLook::look(const QString& path, When when)
{
    m_path = path;
    m_silence.stop();
    m_pause.stop();
    m_again = false;
    m_found = path.isEmpty() ? Found::Nothing : Found::Looking;
    if (!path.isEmpty())
        m_pause.start(when == When::Typed ? kTypingPause : std::chrono::milliseconds::zero());
}

void FolderLook::ask()
{
    if (m_going == kMostGoing) {
        m_again = true;
        take(m_path, Found::Unknown);
        return;
    }
    ++m_going;
    m_silence.start();
    auto promise = std::make_shared<QPromise<bool>>();
    promise->start();
    auto* watcher = new QFutureWatcher<bool>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, path = m_path] {
        watcher->deleteLater();
        --m_going;
        take(path, watcher->result() ? Found::Folder : Found::NoFolder);
        if (std::exchange(m_again, false))
            ask();
    });
    watcher->setFuture(promise->future());
    // Not joined by anybody: it owns all it touches.
    std::thread([promise, question = m_question, path = m_path] {
        promise->addResult(question(path));
        promise->finish();
    }).detach();
}

void FolderLook::take(const QString& path, Found found)
{
    if (path != m_path)
        return; // another one is wanted by now
    if (found != Found::Silence)
        m_silence.stop();
    m_found = found;
    emit answered();
}

QString FolderLook::wrong() const
{
    switch (m_found) {
    case Found::Nothing:
    case Found::Folder:
    case Found::Unknown: // the launch looks itself
        return {};
    case Found::Looking:
        return QStringLiteral("Looking for the folder %1 …").arg(m_path);
    case Found::NoFolder:
        return QStringLiteral("There is no folder %1.").arg(m_path);
    case Found::Silence:
        return QStringLiteral("%1 gives no answer; is what it lies on reachable?").arg(m_path);
    }
    return {};
}

QString FolderLook::unknown() const
{
    return m_found != Found::Unknown
               ? QString()
               : QStringLiteral("Whether there is a folder %1 is not known: %2 others that were looked for gave no "
                                "answer. The launch looks for it.")
                     .arg(m_path)
                     .arg(kMostGoing);
}

} // namespace lockstep::ui
