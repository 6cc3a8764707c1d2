// SPDX-License-Identifier: GPL-3.0-or-later
// What a bundle says of itself, in bundle.toml inside it (trainer/bundleabout.py writes it):
//
//   torch = "2.14.1+cu130"      # the LibTorch it was built for, as torch/version.py spells it
//   cuda = "13.0"               # of that LibTorch
//   nccl = "2.30.7"             # that the CUDA plug-in was built with
//   glibc = "2.34"              # the newest symbol version that its files want
//   arch = "x86_64"
//   cuda_files = ["lockstep-trainer", "liblockstep_cuda.so"]   # what a GPU node gets; LibTorch is there
//   packages = ["torch==2.14.1"]      # what pip fetches where it is not, and
//   cuda_bytes = 3500000000           # what that takes
//
// A bundle without that file is a program of the user's own: it goes to every node as it is.
#pragma once

#include "core/error.h"

#include <QStringList>

namespace lockstep {

inline constexpr char kBundleAboutFile[] = "bundle.toml";

struct BundleAbout {
    QString torch, cuda, nccl, glibc, arch;
    QStringList cudaFiles; // empty: it can't use a GPU
    QStringList packages;
    qint64 cudaBytes = 0;

    bool operator==(const BundleAbout&) const = default;

    [[nodiscard]] static Result<BundleAbout> parse(const QByteArray& toml, const QString& origin);
    [[nodiscard]] static Result<BundleAbout> load(const QString& bundleFolder); // nothing known where there is no file
};

} // namespace lockstep
