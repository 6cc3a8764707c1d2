// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch, precompiled once: its headers take longer to read than everything else here. Only for files that see
// tensors.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>
#include <torch/version.h>
