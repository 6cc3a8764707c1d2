// SPDX-License-Identifier: GPL-3.0-or-later
#include "nvml_script.h"

#include <QDeadlineTimer>
#include <QTemporaryFile>

#include <chrono>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace std::chrono_literals;

namespace lockstep::test {

namespace {

constexpr auto kDeadline = 20s;

bool waitForEnd(pid_t pid)
{
    const QDeadlineTimer deadline(kDeadline);
    while (!deadline.hasExpired()) {
        if (::waitpid(pid, nullptr, WNOHANG) == pid)
            return true;
        ::usleep(2000);
    }
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return false;
}

[[noreturn]] void childMain(const ChildRun& run, const QByteArray& scriptName, int outFd)
{
    ::setenv("FAKE_NVML_SCRIPT", scriptName.constData(), 1);
    if (!run.path.isEmpty())
        ::setenv("PATH", run.path.constData(), 1);
    // A library that is loaded already is found by its soname, whatever the search path.
    const QByteArray library = driverFolder(run.driver).toLocal8Bit() + "/libnvidia-ml.so.1";
    if (run.driver != Driver::None && ::dlopen(library.constData(), RTLD_NOW | RTLD_LOCAL) == nullptr)
        ::_exit(99);
    run.main(outFd);
    ::_exit(0);
}

} // namespace

QString driverFolder(Driver driver)
{
    switch (driver) {
    case Driver::None:
        return QStringLiteral(FAKE_NVML_DIR "/none");
    case Driver::New:
        return QStringLiteral(FAKE_NVML_DIR "/new");
    case Driver::Old:
        return QStringLiteral(FAKE_NVML_DIR "/old");
    }
    return {};
}

std::optional<double> Sample::number(const QString& key) const
{
    bool isNumber = false;
    const double value = values.value(key).toDouble(&isNumber);
    return isNumber ? std::optional(value) : std::nullopt;
}

QList<Sample> samplesIn(const QByteArray& bytes)
{
    QList<Sample> samples;
    wire::Decoder decoder;
    decoder.feed(
        {bytes.constData(), static_cast<std::size_t>(bytes.size())}, [&samples](const wire::RecordView& record) {
            Sample sample;
            sample.id = QString::fromStdString(record.text("id"));
            sample.timeUs = record.timeUs;
            for (const wire::Field& field : *record.fields)
                sample.values.insert(QString::fromUtf8(field.key.data(), static_cast<qsizetype>(field.key.size())),
                                     QString::fromStdString(field.text()));
            samples.append(sample);
        });
    return samples;
}

QList<Sample> samplesOf(const QList<Sample>& all, const QString& id)
{
    QList<Sample> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [&id](const Sample& each) { return each.id == id; });
    return found;
}

ChildResult runChild(const ChildRun& run)
{
    ChildResult result;
    QTemporaryFile script;
    int ends[2] = {-1, -1};
    if (!script.open() || ::pipe2(ends, O_CLOEXEC) != 0)
        return result;
    script.write(run.script);
    script.close();
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::close(ends[0]);
        childMain(run, script.fileName().toLocal8Bit(), ends[1]);
    }
    ::close(ends[1]);
    const QDeadlineTimer deadline(kDeadline);
    while (!result.inTime && !deadline.hasExpired()) {
        pollfd waiting{ends[0], POLLIN, 0};
        if (::poll(&waiting, 1, static_cast<int>(deadline.remainingTime())) <= 0)
            continue;
        char buffer[4096];
        const ssize_t got = ::read(ends[0], buffer, sizeof buffer);
        if (got > 0)
            result.output.append(buffer, got);
        result.samples = samplesIn(result.output);
        result.inTime = got == 0 || (run.enough && run.enough(result.samples));
    }
    ::close(ends[0]);
    result.isGone = waitForEnd(pid);
    return result;
}

} // namespace lockstep::test
