// SPDX-License-Identifier: GPL-3.0-or-later
// Stand-in: LibTorch's CUDA headers name these types and pass them on; nothing here calls the library behind them.
#pragma once

using cublasHandle_t = struct cublasContext*;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS = 0 };
