#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Launch to first step done, and samples/s, for two local ranks: the trainer beside its Python twin under torchrun.

    eval "$(tests/parity/python_env.sh)" && tests/bench/bench_trainer.py build/bin/lockstep-trainer [--rounds 3] [--model cnn]

One after the other, interleaved, medians with ranges: numbers of one machine at one time, read them as ratios.
"""
import argparse
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

WORLD, DEADLINE_S = 2, 600
TWIN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "parity", "twin.py")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def trainer_round(program, options):
    port = free_port()
    # What Lockstep's launcher sets for every rank: glibc reads it at process start.
    base = dict(os.environ, WORLD_SIZE=str(WORLD), LOCAL_WORLD_SIZE=str(WORLD), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                GLIBC_TUNABLES="glibc.malloc.hugetlb=1", OMP_NUM_THREADS="1")
    with tempfile.TemporaryDirectory() as folder:
        start_us = time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1000
        ranks = []
        for rank in range(WORLD):
            shell = ["sh", "-c", 'exec "$@" 3>"$METRICS"', "sh", program, "--device", "cpu", *options]
            ranks.append(subprocess.Popen(shell, stdout=subprocess.PIPE, text=True,
                                          env=dict(base, RANK=str(rank), LOCAL_RANK=str(rank), METRICS=f"{folder}/{rank}")))
        said = ranks[0].communicate(timeout=DEADLINE_S)[0]
        assert all(rank.wait(DEADLINE_S) == 0 for rank in ranks)
        with open(f"{folder}/0", encoding="utf-8") as metrics:
            first = next(line for line in metrics if line.startswith("metric "))
    rate = float(re.findall(r"(\d+) samples/s", said)[-1])
    return (float(first.split()[2]) - start_us) / 1e6, rate


def twin_round(options, stock):
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(WORLD), "--master-port", str(free_port()),
               TWIN, *options, "--stock", stock]
    start = time.time()
    said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=DEADLINE_S,
                          env=dict(os.environ, OMP_NUM_THREADS="1")).stdout
    first = float(re.search(r"first_step_unix_s=([\d.]+)", said).group(1)) - start
    return first, float(re.search(r"samples_per_s=([\d.]+)", said).group(1))


def show(name, rounds):
    for what, values in zip(("launch to first step, s", "samples/s"), zip(*rounds)):
        print(f"{name:14} {what:24} {statistics.median(values):10.2f}  ({min(values):.2f} to {max(values):.2f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trainer")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model", default="cnn")
    parser.add_argument("--steps", type=int, default=150)
    options = parser.parse_args()
    common = ["--model", options.model, "--steps", str(options.steps)]
    rounds = {"trainer": [], "twin, stock": [], "twin, tuned": []}
    for _ in range(options.rounds):
        rounds["trainer"].append(trainer_round(options.trainer, common))
        rounds["twin, stock"].append(twin_round(common, "yes"))
        rounds["twin, tuned"].append(twin_round(common, "no"))
    for name, values in rounds.items():
        show(name, values)
    for name in ("twin, stock", "twin, tuned"):
        first, rate = (statistics.median(column) for column in zip(*rounds[name]))
        own_first, own_rate = (statistics.median(column) for column in zip(*rounds["trainer"]))
        print(f"trainer / {name}: first step {own_first / first:.2f} of its time, {own_rate / rate:.2f} × its samples/s")


if __name__ == "__main__":
    main()
