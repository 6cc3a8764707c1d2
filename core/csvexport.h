// SPDX-License-Identifier: GPL-3.0-or-later
// All metrics of all ranks and devices as CSV: every point, exact; nan, inf and -inf as text.
//
// Long: one line a point. metric,rank,node,device,attempt,step,seconds,value
// Wide: one line a step of an attempt (a step that comes twice has two lines), then one line a time of the devices'
// samples;
//       one column a metric and rank ("loss[3]") or device ("device/util[gpu1 gpu:UUID]").
#pragma once

#include "core/rundata.h"

class QIODevice;

namespace lockstep {

enum class CsvForm { Long, Wide };

[[nodiscard]] Result<void> writeCsv(const RunData& run, CsvForm form, QIODevice& out);

} // namespace lockstep
