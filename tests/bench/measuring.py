#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What measuring costs: the trainer with its records written to a pipe, beside the same with descriptor 3 closed.

    tests/bench/measuring.py build/bin/lockstep-trainer [--pairs 9] [--steps 3000]

mlp on synthetic data, one rank, one thread: the fastest steps there are, so the cost is the largest share. Runs are
interleaved; the ratio is of the process's own CPU time, which other programs disturb less than the clock, and the median
of the pairs' ratios is held against the goal, 1.005. Ends with 1 when it is above.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import threading

GOAL = 1.005


def drain(descriptor, counts):
    with os.fdopen(descriptor, "rb") as pipe:
        counts.append(sum(line.startswith(b"metric ") for line in pipe))


def cpu_seconds(trainer, steps, measured):
    """User and system time of one run; with `measured`, a reader takes its records as the agent would."""
    options = ["--device", "cpu", "--threads", "1", "--data", "synthetic", "--model", "mlp", "--batch", "64", "--epochs", "100000",
               "--evaluate-every", "0", "--steps", str(steps)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    counts, reader = [], None
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out, into = os.pipe()
    process = subprocess.Popen([trainer, *options], env=environment, stdout=subprocess.DEVNULL, pass_fds=[3] if measured else [],
                               preexec_fn=lambda: os.dup2(into, 3) if measured else None)
    os.close(into)
    if measured:
        reader = threading.Thread(target=drain, args=(out, counts))
        reader.start()
    else:
        os.close(out)
    code = process.wait()
    if reader:
        reader.join()
    if code != 0 or (measured and not counts[0]):
        sys.exit(f"the trainer ended with {code}, {counts} records")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trainer")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--steps", type=int, default=3000)
    asked = parser.parse_args()
    ratios = []
    for pair in range(asked.pairs):
        order = (True, False) if pair % 2 else (False, True)
        seconds = {measured: cpu_seconds(asked.trainer, asked.steps, measured) for measured in order}
        ratios.append(seconds[True] / seconds[False])
        print(f"pair {pair + 1}: measured {seconds[True]:.2f} s, not {seconds[False]:.2f} s, ratio {ratios[-1]:.4f}", flush=True)
    median = statistics.median(ratios)
    print(f"median {median:.4f} of {min(ratios):.4f} to {max(ratios):.4f}; goal {GOAL}")
    return 0 if median <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
