#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trainer beside its Python twin (tests/parity/twin.py): speed, start, memory, FSDP and dp, as ratios of interleaved runs.

    eval "$(tests/parity/python_env.sh)" && tests/bench/ddp.py build/bin/lockstep-trainer [--models mlp,cnn] [--ranks 1,2]
        [--pairs 7] [--parts speed,start,memory,fsdp,dp] [--quick]

One thread a rank. Three programs are compared: the trainer as Lockstep's launcher starts it, `stock` (the twin with
PyTorch's own defaults under the plain environment) and `tuned` (fused optimiser, bucket views and the trainer's malloc
settings by environment). Each round runs all of them one after the other, in another order each time, so that none has
the quiet minutes for itself; ratios are of one round, the tables give their median and range. A round during which other
programs took more than a tenth of the machine is repeated. CPU-time ratios stand beside: other load disturbs them less.
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
from dataclasses import dataclass, field

TWIN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "parity", "twin.py")
DEADLINE_S = 600
FOREIGN_LIMIT = 0.10
MOST_REPEATS = 2  # rounds run at most, for each round wanted; with --quick 1
WARM_UP_STEPS = 3  # as in the twin

# What Lockstep's launcher sets for every rank; glibc reads it at process start.
LAUNCHER = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
# And what the trainer sets for itself (tuneAllocator in startup.cpp), for a Python that shall have the same.
TUNED = {**LAUNCHER, "MALLOC_MMAP_THRESHOLD_": str(1 << 30), "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
         "MALLOC_TOP_PAD_": str(64 << 20), "MALLOC_ARENA_MAX": "1"}


@dataclass
class Workload:
    options: list
    steps: int  # enough for some seconds
    quick_steps: int
    goals: dict = field(default_factory=dict)  # samples/s over stock, by ranks
    tuned_goal: float = 1.05


def workloads(folder):
    fashion = ["--data", "fashion-mnist"]
    tokens = ["--data", "tokens", "--data-path", os.path.join(folder, "tokens.bin"), "--vocabulary", "4096", "--context", "128"]
    return {
        "mlp": Workload(["--model", "mlp", "--optimizer", "sgd", "--batch", "64", *fashion], 1200, 300, {1: 1.7, 2: 1.4}, 1.5),
        "cnn": Workload(["--model", "cnn", "--optimizer", "sgd", "--batch", "64", *fashion], 90, 30, {1: 1.4, 2: 1.3}),
        "resnet18": Workload(["--model", "resnet18", "--optimizer", "sgd", "--batch", "16", "--data", "synthetic", "--synthetic-samples",
                              "2000", "--image-size", "64", "--channels", "3"], 20, 8, {1: 1.3, 2: 1.2}),
        "gpt": Workload(["--model", "gpt", "--width", "256", "--depth", "6", "--heads", "8", "--optimizer", "adamw", "--batch", "8",
                         *tokens], 16, 7, {1: 1.25, 2: 1.2}),
    }


def write_tokens(path):
    """Ids below 4096 by a multiplicative rule: their content does not matter here."""
    value, data = 1, bytearray()
    for _ in range(400_000):
        value = value * 48271 % 2147483647
        data += (value % 4096).to_bytes(2, "little")
    data[-2:] = (4095).to_bytes(2, "little")
    with open(path, "wb") as file:
        file.write(data)


@dataclass
class Outcome:
    rate: float = 0.0  # samples/s of all ranks, from the fourth step on
    cpu_ms: float = 0.0  # of a rank and step, likewise
    rss_mb: float = 0.0  # the largest rank's peak
    first_s: float = 0.0  # launch to first step done
    foreign: float = 0.0  # share of the machine that other programs took meanwhile


class CpuShare:
    """How much of the machine programs other than ours took, from /proc/stat."""

    def __init__(self):
        self.start, self.busy = time.monotonic(), self._busy()

    @staticmethod
    def _busy():
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
        return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")

    def foreign(self, own_s):
        whole = (time.monotonic() - self.start) * os.cpu_count()
        return max(0.0, self._busy() - self.busy - own_s) / whole


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_seconds(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0  # it has just ended


class Ranks:
    """Runs `command` as all ranks of a job to its end."""

    def __init__(self, command, extra, world):
        share, port = CpuShare(), free_port()
        base = dict(os.environ, WORLD_SIZE=str(world), LOCAL_WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                    OMP_NUM_THREADS="1", **extra)
        with tempfile.TemporaryDirectory() as folder:
            self.start_us = time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1000
            self.start_unix_s = time.time()
            ranks = [self._start(command, base, rank, folder) for rank in range(world)]
            self.cpu_at_records = [[] for _ in range(world)]  # of each rank: its CPU time whenever new records were there
            usages = self._wait(ranks, folder)
            self.said = self._read(folder, "out.0")
            self.records = self._read(folder, "metrics.0")
            if any(rank.returncode for rank in ranks):
                raise SystemExit(f"{' '.join(command)} ended with {[rank.returncode for rank in ranks]}:\n" +
                                 "".join(self._read(folder, f"err.{rank}") for rank in range(world)))
        own_s = sum(usage.ru_utime + usage.ru_stime for usage in usages)
        self.rss_mb = max(usage.ru_maxrss for usage in usages) / 1024
        self.foreign = share.foreign(own_s)

    @staticmethod
    def _start(command, base, rank, folder):
        shell = ["sh", "-c", 'exec "$@" 3>"$METRICS"', "sh", *command]
        with open(f"{folder}/out.{rank}", "wb") as out, open(f"{folder}/err.{rank}", "wb") as err:
            return subprocess.Popen(shell, stdout=out, stderr=err,
                                    env=dict(base, RANK=str(rank), LOCAL_RANK=str(rank), METRICS=f"{folder}/metrics.{rank}"))

    @staticmethod
    def _read(folder, name):
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            return file.read()

    def _wait(self, ranks, folder):
        """Their resource usage; and on the way each rank's CPU time when records came."""
        usages, sizes, end = [None] * len(ranks), [0] * len(ranks), time.monotonic() + DEADLINE_S
        while None in usages:
            for index, rank in enumerate(ranks):
                if usages[index] is not None:
                    continue
                records = self._count_metrics(f"{folder}/metrics.{index}", sizes, index)
                if records:
                    self.cpu_at_records[index].append((records, cpu_seconds(rank.pid)))
                pid, status, usage = os.wait4(rank.pid, os.WNOHANG)
                if pid:
                    rank.returncode, usages[index] = os.waitstatus_to_exitcode(status), usage
            if time.monotonic() > end:
                for rank in ranks:
                    rank.kill()
            time.sleep(0.01)
        return usages

    @staticmethod
    def _count_metrics(path, sizes, index):
        """The metric records so far if the file has grown, else 0."""
        if not os.path.exists(path) or os.path.getsize(path) == sizes[index]:
            return 0
        sizes[index] = os.path.getsize(path)
        with open(path, encoding="utf-8") as file:
            return sum(line.startswith("metric ") and " steps=" in line for line in file)


def metric_records(text):
    found = []
    for line in text.splitlines():
        kind, _, time_us, *fields = line.split(" ")
        values = dict(item.split("=", 1) for item in fields)
        if kind == "metric" and "steps" in values:
            found.append((float(time_us), values))
    return found


def cpu_of_steps(ranks, records, start):
    """Milliseconds a rank and step, from record `start` to the last: what follows that is no step's."""
    used = []
    for seen in ranks.cpu_at_records:
        seen = [(count, cpu) for count, cpu in seen if count > start]
        steps = sum(int(values["steps"]) for _, values in records[seen[0][0]:seen[-1][0]]) if seen else 0
        used.append((seen[-1][1] - seen[0][1]) / steps * 1000 if steps else 0)
    return statistics.mean(used)


def run_trainer(program, options, world):
    ranks = Ranks([program, "--device", "cpu", "--threads", "1", "--workers", "0", "--evaluate-every", "0", *options], LAUNCHER, world)
    records = metric_records(ranks.records)
    outcome = Outcome(first_s=(records[0][0] - ranks.start_us) / 1e6, rss_mb=ranks.rss_mb, foreign=ranks.foreign)
    start = next((i for i, (_, values) in enumerate(records) if int(values["step"]) >= WARM_UP_STEPS), len(records))
    measured = records[start + 1:]
    if measured:
        samples = sum(int(values["samples"]) for _, values in measured)
        outcome.rate = samples * world / (records[-1][0] - records[start][0]) * 1e6
        outcome.cpu_ms = cpu_of_steps(ranks, records, start)
    return outcome


def twin_outcome(ranks, said):
    outcome = Outcome(first_s=float(re.search(r"first_step_unix_s=([\d.]+)", said).group(1)) - ranks.start_unix_s,
                      rss_mb=ranks.rss_mb, foreign=ranks.foreign)
    for name, pattern in (("rate", r"samples_per_s=([\d.]+)"), ("cpu_ms", r"cpu_ms_per_step=([\d.]+)")):
        if found := re.search(pattern, said):
            setattr(outcome, name, float(found.group(1)))
    return outcome


def run_twin(options, world, stock):
    command = [sys.executable, TWIN, *options, "--stock", "yes" if stock else "no"]
    ranks = Ranks(command, {} if stock else TUNED, world)
    return twin_outcome(ranks, ranks.said)


def run_torchrun(options, world):
    """As people start it; for the time to the first step only."""
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(world), "--master-port", str(free_port()), TWIN,
               *options, "--stock", "yes"]
    ranks = Ranks(command, {}, 1)
    return twin_outcome(ranks, ranks.said)


def rounds(programs, count, repeats):
    """programs: {name: function}. Returns {name: [Outcome]} of undisturbed rounds, and how many stayed disturbed."""
    found, disturbed, spare = {name: [] for name in programs}, 0, []
    for attempt in range(count * repeats):
        names = list(programs)
        names = names[attempt % len(names):] + names[:attempt % len(names)]
        outcomes = {name: programs[name]() for name in names}
        worst = max(outcome.foreign for outcome in outcomes.values())
        print(f"  round {attempt + 1}: " + ", ".join(f"{name} {outcomes[name].rate:.5g}/s {outcomes[name].cpu_ms:.4g} ms CPU/step" for name in programs) +
              f", other load {worst:.0%}", file=sys.stderr, flush=True)
        if worst > FOREIGN_LIMIT:
            spare.append((worst, outcomes))
            continue
        for name, outcome in outcomes.items():
            found[name].append(outcome)
        if len(found[names[0]]) == count:
            break
    spare.sort(key=lambda item: item[0])  # too few quiet rounds: the least disturbed of the others, and it is said
    while len(found[next(iter(programs))]) < count and spare:
        disturbed += 1
        for name, outcome in spare.pop(0)[1].items():
            found[name].append(outcome)
    return found, disturbed


def ratio(found, over, under, what):
    """Of each round: median, lowest, highest."""
    values = [getattr(a, what) / getattr(b, what) for a, b in zip(found[over], found[under]) if getattr(b, what) > 0 < getattr(a, what)]
    return (statistics.median(values), min(values), max(values)) if values else None


def median(found, name, what):
    return statistics.median(getattr(outcome, what) for outcome in found[name])


def shown(three):
    return "-" if three is None else f"{three[0]:.2f} ({three[1]:.2f}-{three[2]:.2f})"


class Table:
    def __init__(self, title, *columns):
        self.title, self.rows = title, [columns]

    def add(self, *cells):
        self.rows.append([str(cell) for cell in cells])

    def print(self):
        widths = [max(len(row[i]) for row in self.rows) for i in range(len(self.rows[0]))]
        print(f"\n{self.title}")
        for row in self.rows:
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip(), flush=True)


def at_least(three, goal):
    return "" if three is None or goal is None else "met" if three[0] >= goal else "MISSED"


def at_most(three, goal):
    return "" if three is None or goal is None else "met" if three[0] <= goal else "MISSED"


class Bench:
    def __init__(self, asked, folder):
        self.asked, self.works = asked, workloads(folder)
        self.repeats = 1 if asked.quick else MOST_REPEATS

    def long(self, name, *more):
        work = self.works[name]
        return [*work.options, "--epochs", "1000", "--steps", str(work.quick_steps if self.asked.quick else work.steps), *more]

    def trainer(self, options, world):
        return lambda: run_trainer(self.asked.trainer, options, world)

    def each(self):
        for name in self.asked.models:
            for world in self.asked.ranks:
                print(f"{name}, {world} rank(s)", file=sys.stderr, flush=True)
                yield name, world

    def speed(self):
        table = Table("Speed: samples/s over the twin's, median (range) of rounds; in brackets the goal", "model", "ranks", "trainer/s",
                      "stock/s", "over stock", "goal", "", "over tuned", "goal", "", "CPU/step of stock", "of tuned", "disturbed")
        for name, world in self.each():
            options, work = self.long(name), self.works[name]
            found, disturbed = rounds({"trainer": self.trainer(options, world), "stock": lambda: run_twin(options, world, True),
                                       "tuned": lambda: run_twin(options, world, False)}, self.asked.pairs, self.repeats)
            stock, tuned = ratio(found, "trainer", "stock", "rate"), ratio(found, "trainer", "tuned", "rate")
            goal = work.goals.get(world)
            table.add(name, world, f"{median(found, 'trainer', 'rate'):.5g}", f"{median(found, 'stock', 'rate'):.5g}", shown(stock), goal or "-",
                      at_least(stock, goal), shown(tuned), work.tuned_goal, at_least(tuned, work.tuned_goal),
                      shown(ratio(found, "stock", "trainer", "cpu_ms")), shown(ratio(found, "tuned", "trainer", "cpu_ms")),
                      f"{disturbed} of {self.asked.pairs}")
        table.print()

    def start(self):
        table = Table("Start: launch to first step done, seconds, beside torchrun", "model", "ranks", "trainer", "torchrun", "ratio", "goal",
                      "", "disturbed")
        for name, world in self.each():
            options = [*self.works[name].options, "--steps", "1"]
            found, disturbed = rounds({"trainer": self.trainer(options, world), "torchrun": lambda: run_torchrun(options, world)},
                                      self.asked.pairs, self.repeats)
            three = ratio(found, "trainer", "torchrun", "first_s")
            table.add(name, world, f"{median(found, 'trainer', 'first_s'):.2f}", f"{median(found, 'torchrun', 'first_s'):.2f}", shown(three), 0.2,
                      at_most(three, 0.2), f"{disturbed} of {self.asked.pairs}")
        table.print()

    def memory(self):
        table = Table("Memory: the largest rank's peak RSS, MB, beside the stock twin's", "model", "ranks", "trainer", "stock", "ratio", "goal", "")
        for name, world in self.each():
            options = [*self.works[name].options, "--steps", "5"]
            found = {"trainer": [run_trainer(self.asked.trainer, options, world)], "stock": [run_twin(options, world, True)]}
            three = ratio(found, "trainer", "stock", "rss_mb")
            table.add(name, world, f"{median(found, 'trainer', 'rss_mb'):.0f}", f"{median(found, 'stock', 'rss_mb'):.0f}", shown(three), 0.55,
                      at_most(three, 0.55))
        table.print()

    def fsdp(self):
        table = Table("FSDP, 2 ranks: step time over Ddp's, samples/s over fully_shard's", "model", "step / Ddp's", "goal", "", "over tuned fully_shard",
                      "goal", "", "RSS / Ddp's", "disturbed")
        for name in self.asked.models:
            print(f"{name}, fsdp", file=sys.stderr, flush=True)
            plain, sharded = self.long(name), self.long(name, "--strategy", "fsdp")
            found, disturbed = rounds({"ddp": self.trainer(plain, 2), "fsdp": self.trainer(sharded, 2),
                                       "fully_shard": lambda: run_twin(sharded, 2, False)}, self.asked.pairs, self.repeats)
            step, over = ratio(found, "ddp", "fsdp", "rate"), ratio(found, "fsdp", "fully_shard", "rate")
            table.add(name, shown(step), 1.15, at_most(step, 1.15), shown(over), "1.0", at_least(over, 1.0),
                      shown(ratio(found, "fsdp", "ddp", "rss_mb")), f"{disturbed} of {self.asked.pairs}")
        table.print()

    def dp(self):
        table = Table("dp, one process with 2 devices, beside Ddp on 2 ranks: Ddp's samples/s over dp's", "model", "ddp/s", "dp/s", "ratio",
                      "disturbed")
        for name in self.asked.models:
            print(f"{name}, dp", file=sys.stderr, flush=True)
            options, batch = self.long(name), int(self.works[name].options[self.works[name].options.index("--batch") + 1])
            replicated = self.long(name, "--strategy", "dp", "--dp-devices", "2", "--batch", str(2 * batch))
            found, disturbed = rounds({"ddp": self.trainer(options, 2), "dp": self.trainer(replicated, 1)}, self.asked.pairs, self.repeats)
            table.add(name, f"{median(found, 'ddp', 'rate'):.5g}", f"{median(found, 'dp', 'rate'):.5g}", shown(ratio(found, "ddp", "dp", "rate")),
                      f"{disturbed} of {self.asked.pairs}")
        table.print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = ("speed", "start", "memory", "fsdp", "dp")
    parser.add_argument("trainer")
    parser.add_argument("--models", default="mlp,cnn,resnet18,gpt", type=lambda text: text.split(","))
    parser.add_argument("--ranks", default="1,2", type=lambda text: [int(part) for part in text.split(",")])
    parser.add_argument("--parts", default=",".join(parts), type=lambda text: text.split(","))
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="2 short rounds of everything: whether it works, not how fast it is")
    asked = parser.parse_args()
    if asked.quick:
        asked.pairs = min(asked.pairs, 2)
    if unknown := set(asked.parts) - set(parts):
        parser.error(f"no such part: {', '.join(unknown)}")
    with tempfile.TemporaryDirectory() as folder:
        write_tokens(os.path.join(folder, "tokens.bin"))
        bench = Bench(asked, folder)
        for part in asked.parts:
            getattr(bench, part)()


if __name__ == "__main__":
    main()
