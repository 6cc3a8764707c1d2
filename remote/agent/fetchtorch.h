// SPDX-License-Identifier: GPL-3.0-or-later
// `fetch-torch`: the node itself gets the packages of a torch with its own pip, and its pip's own configuration, into
// ~/.cache/lockstep/torch/VERSION. Which ones is said on stdin:
//   -> fetch - 0 version=2.14.1+cu130 bytes=3500000000 python=3.12
//   -> package - 0 spec=torch==2.14.1
//   -> end - 0
//   <- progress - T bytes= of=      while it goes on
//   <- done - T path=/home/alice/.cache/lockstep/torch/2.14.1+cu130/torch
// Its end comes with the end of stdin: a fetch is a part of a deploy.
#pragma once

namespace lockstep::agent {

[[nodiscard]] int runFetchTorch(int in, int out);

} // namespace lockstep::agent
