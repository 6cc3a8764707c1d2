// SPDX-License-Identifier: GPL-3.0-or-later
// clang-format off
// The kinds of records and their keys. Keys may be missing; a missing value is unknown, never zero.
//
// In a spool (written by the agent's supervisor; `metric` and `info` come from the ranks' descriptor 3):
//   hello  -  version agent host node boot_id run attempt wall_us   first record of every supervisor start
//   clock  -  wall_us                                     every second
//   phase  R  phase=starting|running|exited  pid reason code signal   how a rank stands; exited has code or signal
//   phase  -  phase=prepared|starting|running|stopping|ended  reason gone left left_pids gpus_free gpus_held
//             asked_grace   how the node's part stands; `ended` is the last record of an attempt: gone= ranks and
//             children ended, left= survivors (0 is the proof), gpus_free= devices of the run that are seen free of it,
//             gpus_held= not; asked_grace= of stopping and ended: a person asked for it, with so many seconds of grace
//   metric R  step, then any metrics by name. The trainer's: epoch loss lr samples_per_s tokens_per_s (of text, tokens)
//             samples steps (how many the record covers, losses are means) data_ms to_device_ms (on a GPU) forward_ms
//             backward_ms (own compute, until the last gradient) wait_ms (for the others' sums) optimizer_ms (per step)
//             memory_bytes memory_peak_bytes (a GPU's tensors, else what is resident of the process) grad_norm (before
//             clipping, where it was measured) loss_scale (fp16) skipped (of those steps, how many were left out for
//             gradients that are not finite; missing: none). Once an epoch, rank 0: train_loss test_loss test_accuracy
//             test_top5 test_perplexity (over all ranks; the last of tokens only).
//   info   R  facts said once: model parameters parameters_trained buffers (elements) model_bytes (of both) modules
//             (NAME=PARAMETERS of each top-level module) world total_steps steps_per_epoch batch backend device
//             device_name device_uuid (of a GPU) nccl (its version) flight_recorder (the file NCCL leaves when a
//             collective times out) threads configuration (every option with its value) libtorch epochs data samples
//             test_samples seed optimizer lr; after 20 steps nccl_transport (P2P/CUMEM, NET/IB ...); resumed
//             resumed_step (from which file); checkpoint checkpoint_step checkpoint_seconds checkpoint_bytes (the
//             newest; checkpoint_error: it could not be written); at the end parameter_hash steps_done.
//             warning=SENTENCE: what this rank was asked for and cannot do.
//             failure=SENTENCE failure_code: the rank's last record when it ends by itself before its time.
//             no_gradient=NAME, rank 0: a parameter whose gradient was zero or missing on all ranks for 20 steps.
//             After 20 steps and at the end, from DDP: buckets (how many) bucket_bytes (in the order in which they are
//             reduced) bucket_order (the parameters of each, counted from 0, buckets between `;`) and means over the
//             steps that were timed: ddp_forward_ms ddp_backward_ms ddp_communication_ms (from the first bucket's start
//             to the last one's end) ddp_overlap_ms (of it, while backward still computed)
//             At the end of step 20, of what the rank holds: parameter_bytes gradient_bytes optimizer_bytes. From FSDP:
//             units (how many) unit_mib (of each, whole) unit_names. From dp: dp_devices; and with each step what its
//             copies cost, as metrics: replicate_ms scatter_ms gather_ms reduce_ms.
//   out    R  text        a line of the rank's stdout;  err R text: of its stderr
//   device -  id ...      a sample, 1 Hz. id=cpu util load1 cores mem_used mem_total;  id=disk:PATH free total;
//             id=net:IFNAME rx_bytes_per_s tx_bytes_per_s;
//             id=gpu:UUID index name util mem_used mem_total unified (1: the machine's memory stands in) power_w
//             power_limit_w temp_c sm_mhz mem_mhz throttle (NVML's bits, hex) pcie_rx_bytes_per_s (into the GPU)
//             pcie_tx_bytes_per_s ecc_errors (uncorrected) processes (pid:bytes,... bytes -1: unknown) mig (1:
//             partitioned, no util) error (a sentence when it can't be read, the values are then missing); id=gpus
//             error (can't be read now, is tried again) | note (there is none)
//   proc   R  pid rss cpu           a rank's process tree, 1 Hz: resident bytes, percent of one core
//   dropped R what=out|err|metric|device|... count bytes reason lost_bytes unreadable   what is not in the spool:
//             thinned output (the rank's own file on the node has all of it, but for lost_bytes), records that a full
//             disk did not take (reason), lines on descriptor 3 that are no metric record (unreadable, in count)
//
// On descriptor 3 of a rank: the same lines. Rank `-` and time 0 are filled in by the supervisor; a nonzero time is
// kept (CLOCK_MONOTONIC of the same machine). So `echo "metric - 0 step=1 loss=2.3" >&3` works from any program.
//
// Answers of the agent's verbs (stdout), each ended by exit code 0 or an `error - T code text` record and exit code 1:
//   version:  version - 0 agent wire
//   probe:    facts - T ...                    keys in nodefacts.h; then for every line on stdin, at once:
//             clock - T wall_us boot_id of     as `follow` says too, on stderr
//   sample:   device records at 1 Hz until stdin ends
//   receive:  see remote/agent/receive.h;  launch, follow, stop, list: see remote/agent/README.md
// clang-format on
#pragma once

#include <string_view>

namespace lockstep::wire::kind {

inline constexpr std::string_view kHello = "hello";
inline constexpr std::string_view kClock = "clock";
inline constexpr std::string_view kPhase = "phase";
inline constexpr std::string_view kMetric = "metric";
inline constexpr std::string_view kInfo = "info";
inline constexpr std::string_view kOut = "out";
inline constexpr std::string_view kErr = "err";
inline constexpr std::string_view kDevice = "device";
inline constexpr std::string_view kProc = "proc";
inline constexpr std::string_view kDropped = "dropped";
inline constexpr std::string_view kError = "error";

} // namespace lockstep::wire::kind
