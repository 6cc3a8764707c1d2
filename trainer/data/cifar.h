// SPDX-License-Identifier: GPL-3.0-or-later
// CIFAR-10 and CIFAR-100 in their binary form (cs.toronto.edu/~kriz/cifar.html): records of one label byte (CIFAR-100:
// a coarse one, then the fine one, which is used) and 3 × 32 × 32 bytes, red, green, blue.
#pragma once

#include "trainer/data/imagememory.h"

#include <memory>
#include <string>

namespace lockstep::trainer {

enum class CifarKind { Ten, Hundred };
enum class CifarPart { Train, Test };

// `folder` holds the files or the folder that the archive makes. Throws Failure(Data) that names the file.
[[nodiscard]] std::unique_ptr<ImageMemory> readCifar(const std::string& folder, CifarKind kind, CifarPart part);

} // namespace lockstep::trainer
