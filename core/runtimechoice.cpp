// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runtimechoice.h"

#include <QVersionNumber>

#include <algorithm>

namespace lockstep {

namespace {

// The first driver of each CUDA major version for Linux (CUDA Toolkit release notes, table 2).
QString leastDriver(int cudaMajor)
{
    return cudaMajor >= 13 ? QStringLiteral("580") : cudaMajor == 12 ? QStringLiteral("525") : QStringLiteral("450");
}

bool sameMinor(const QString& left, const QString& right)
{
    const auto a = QVersionNumber::fromString(left), b = QVersionNumber::fromString(right);
    return a.majorVersion() == b.majorVersion() && a.minorVersion() == b.minorVersion();
}

bool fits(const BundleAbout& about, const FoundTorch& torch)
{
    return torch.hasCuda && torch.version == about.torch &&
           (torch.nccl.isEmpty() || about.nccl.isEmpty() || sameMinor(torch.nccl, about.nccl));
}

class Chooser {
public:
    Chooser(const BundleAbout& about, const NodeFacts& facts, const QString& node)
        : m_about(about), m_facts(facts), m_node(node)
    {
    }

    RuntimeChoice choose(DeviceUse use, const TorchSources& sources)
    {
        checkMachine();
        if (use == DeviceUse::Cpu || m_about.cudaFiles.isEmpty()) {
            m_choice.why = m_about.torch.isEmpty() ? QStringLiteral("own bundle") : QStringLiteral("CPU bundle");
            if (use == DeviceUse::Gpu && !m_about.torch.isEmpty())
                error(QStringLiteral("The bundle has no part for GPUs"),
                      QStringLiteral("It was built without the CUDA plug-in, and the plan gives %1's ranks GPUs. Build "
                                     "with NCCL's and CUDA's packages beside LibTorch, or set backend = \"gloo\".")
                          .arg(m_node));
            return m_choice;
        }
        checkDriver();
        chooseTorch(sources);
        return m_choice;
    }

private:
    void error(const QString& title, const QString& detail)
    {
        m_choice.problems.append({Severity::Error, m_node, title, detail});
    }

    void checkMachine()
    {
        if (!m_about.arch.isEmpty() && !m_facts.arch.isEmpty() && m_about.arch != m_facts.arch)
            error(QStringLiteral("%1 is %2, the bundle is for %3").arg(m_node, m_facts.arch, m_about.arch),
                  QStringLiteral("Build Lockstep on a machine of that kind, and name the bundle by LOCKSTEP_BUNDLE."));
        if (!m_about.glibc.isEmpty() && !m_facts.glibc.isEmpty() &&
            QVersionNumber::fromString(m_facts.glibc) < QVersionNumber::fromString(m_about.glibc))
            error(
                QStringLiteral("%1 has glibc %2, the bundle needs %3").arg(m_node, m_facts.glibc, m_about.glibc),
                QStringLiteral("Its programs would not start. Build Lockstep on an older system (Debian 12 has 2.36), "
                               "or leave the node out."));
    }

    void checkDriver()
    {
        const int built = QVersionNumber::fromString(m_about.cuda).majorVersion();
        const int driver = QVersionNumber::fromString(m_facts.cuda).majorVersion();
        // Within a major version any driver serves (CUDA's minor version compatibility).
        if (m_facts.cuda.isEmpty() || m_about.cuda.isEmpty() || driver >= built)
            return;
        error(
            QStringLiteral("The NVIDIA driver %1 of %2 is too old for CUDA %3")
                .arg(m_facts.driver, m_node, m_about.cuda),
            QStringLiteral("It serves CUDA %1 at most. Update it to %2 or newer, or set backend = \"gloo\" to train on "
                           "the CPU.")
                .arg(m_facts.cuda, leastDriver(built)));
    }

    void chooseTorch(const TorchSources& sources)
    {
        if (const FoundTorch* torch = fittingTorch(m_about, sources.onNode)) {
            m_choice.kind = RuntimeKind::Found;
            m_choice.torch = torch->path;
            m_choice.why = QStringLiteral("GPU trainer beside torch %1 in %2").arg(torch->version, torch->path);
            return;
        }
        const QString size = QStringLiteral("%1 GB").arg(static_cast<double>(m_about.cudaBytes) / 1e9, 0, 'f', 1);
        if (sources.nodeHasPip) {
            m_choice.kind = RuntimeKind::Fetched;
            m_choice.why =
                QStringLiteral("GPU trainer; %1 fetches torch %2 itself with pip, %3").arg(m_node, m_about.torch, size);
        } else if (!sources.onDesktop.isEmpty()) {
            m_choice.kind = RuntimeKind::Sent;
            m_choice.torch = sources.onDesktop;
            m_choice.why =
                QStringLiteral("GPU trainer; torch %1 is sent from this machine, %2").arg(m_about.torch, size);
        } else {
            m_choice.kind = RuntimeKind::Found;
            m_choice.why = QStringLiteral("no torch %1").arg(m_about.torch);
            error(QStringLiteral("%1 has no torch %2").arg(m_node, m_about.torch),
                  others(sources.onNode) +
                      QStringLiteral(" and no pip to fetch it. `pip install %1` in any environment there is found, and "
                                     "so is one on this machine, which is then sent.")
                          .arg(m_about.packages.join(QLatin1Char(' '))));
            return;
        }
        if (!sources.onNode.isEmpty())
            m_choice.problems.append(
                {Severity::Note, m_node,
                 QStringLiteral("No torch of %1 is the one that the trainer was built for").arg(m_node),
                 others(sources.onNode) + QLatin1Char('.')});
    }

    // "It has 2.11.0+cu128 (/opt/venv/...), 2.14.1+cpu (...)"
    static QString others(const QList<FoundTorch>& torches)
    {
        QStringList names;
        for (const FoundTorch& torch : torches) {
            QString name = QStringLiteral("%1 (%2").arg(torch.version, torch.path);
            if (!torch.hasCuda)
                name += QStringLiteral(", without CUDA");
            else if (!torch.nccl.isEmpty())
                name += QStringLiteral(", NCCL ") + torch.nccl;
            names.append(name + QLatin1Char(')'));
        }
        return names.isEmpty() ? QStringLiteral("It has none")
                               : QStringLiteral("It has ") + names.join(QLatin1String(", "));
    }

    const BundleAbout& m_about;
    const NodeFacts& m_facts;
    QString m_node;
    RuntimeChoice m_choice;
};

} // namespace

bool RuntimeChoice::fits() const
{
    return std::none_of(problems.begin(), problems.end(),
                        [](const Problem& problem) { return problem.severity == Severity::Error; });
}

const FoundTorch* fittingTorch(const BundleAbout& about, const QList<FoundTorch>& torches)
{
    const auto found =
        std::find_if(torches.begin(), torches.end(), [&](const FoundTorch& torch) { return fits(about, torch); });
    return found == torches.end() ? nullptr : &*found;
}

RuntimeChoice chooseRuntime(const BundleAbout& about, const NodeFacts& facts, const QString& node, DeviceUse use,
                            const TorchSources& sources)
{
    return Chooser(about, facts, node).choose(use, sources);
}

} // namespace lockstep
