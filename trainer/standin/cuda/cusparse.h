// SPDX-License-Identifier: GPL-3.0-or-later
// Stand-in: LibTorch's CUDA headers name these types and pass them on; nothing here calls the library behind them.
#pragma once

using cusparseHandle_t = struct cusparseContext*;
enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS = 0 };
