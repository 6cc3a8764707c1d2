# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks of the trainer and of its Python twin on this machine, and what they wrote compared bit for bit.

A test file is a unittest module beside this one (test_NAME.py); ctest runs it as parity_NAME. By hand:

    eval "$(tests/parity/python_env.sh)"
    LOCKSTEP_TRAINER=build/bin/lockstep-trainer python3 tests/parity/test_ddp.py -v [Class.test]
"""
import functools
import operator
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import unittest

import numpy
import torch  # imported once: the twin's ranks are forks of this process

import twin

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRAINER = os.environ.get("LOCKSTEP_TRAINER", os.path.join(SOURCE, "build", "bin", "lockstep-trainer"))
DEADLINE_S = 240  # of one run on a busy machine
METRIC_DESCRIPTOR = 3


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(rank, world, port):
    return dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world), LOCAL_WORLD_SIZE=str(world),
                MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), OMP_NUM_THREADS="1")


def read(path):
    with open(path, "rb") as file:
        return file.read()


class TrainerRun:
    """What the ranks of one run of the trainer said: exit codes, stderr, and the records on descriptor 3."""

    def __init__(self, codes, errors, metrics):
        self.codes, self.errors = codes, errors
        self.records = [[_record(line) for line in text.splitlines()] for text in metrics]  # [rank]: (kind, {key: value})

    def metrics(self, rank=0):
        """The metric records of steps; each stands for the last `steps` steps up to `step`, its loss is their mean."""
        return [fields for kind, fields in self.records[rank] if kind == "metric" and "steps" in fields]

    def fact(self, key, rank=0):
        return next((fields[key] for kind, fields in self.records[rank] if kind == "info" and key in fields), None)


def _record(line):
    kind, _, _, *fields = line.split(" ")
    return kind, dict(field.split("=", 1) for field in fields)


def run_trainer(options, world=2, codes=(0,)):
    """Waits for all ranks. Their exit codes must be among `codes`, else what they said is raised."""
    port = free_port()
    command = [TRAINER, "--device", "cpu", "--threads", "1", *map(str, options)]
    with tempfile.TemporaryDirectory() as folder:
        ranks = []
        for rank in range(world):
            def descriptors(path=os.path.join(folder, str(rank))):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), METRIC_DESCRIPTOR)
            with open(os.path.join(folder, f"{rank}.err"), "wb") as stderr:
                ranks.append(subprocess.Popen(command, env=environment(rank, world, port), stdout=subprocess.DEVNULL,
                                              stderr=stderr, preexec_fn=descriptors, close_fds=False))
        end = time.monotonic() + DEADLINE_S
        try:
            found = [rank.wait(max(1.0, end - time.monotonic())) for rank in ranks]
        finally:
            for rank in ranks:
                rank.kill()
        errors = [read(os.path.join(folder, f"{rank}.err")).decode() for rank in range(world)]
        metrics = [read(os.path.join(folder, str(rank))).decode() for rank in range(world)]
    if any(code not in codes for code in found):
        raise AssertionError(f"{' '.join(command)}\nended with {found}:\n" + "".join(errors))
    return TrainerRun(found, errors, metrics)


def in_ranks(function, world=2):
    """Calls function() in `world` forks of this process that have the environment of ranks."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        said = [os.path.join(folder, f"{rank}.err") for rank in range(world)]
        children = [_fork(function, environment(rank, world, port), said[rank]) for rank in range(world)]
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        if codes != [0] * world:
            raise AssertionError(f"the twin's ranks ended with {codes}:\n" + "\n".join(read(path).decode() for path in said))


def _fork(function, variables, stderr):
    child = os.fork()
    if child != 0:
        return child
    code = 1
    try:
        signal.alarm(DEADLINE_S)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open(stderr, os.O_WRONLY | os.O_CREAT, 0o600), 2)
        os.environ.update(variables)
        function()
        code = 0
    except BaseException:  # pylint: disable=broad-exception-caught # reported, and the fork must end here
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def run_twin(options, world=2):
    """The twin understands the trainer's options and has its defaults; see twin.py for its own."""
    in_ranks(lambda: twin.main(["--threads", "1", *map(str, options)]), world)


def write_idx_folder(folder, samples=1024, tests=32, side=28, classes=10, seed=0):
    """A data set for --data idx: a brighter band a class, under noise."""
    os.makedirs(folder, exist_ok=True)
    random = numpy.random.RandomState(seed)
    for split, count in (("train", samples), ("t10k", tests)):
        labels = random.randint(0, classes, count).astype(numpy.uint8)
        labels[:classes] = numpy.arange(classes)  # all of them, for the number of classes is counted
        images = random.randint(0, 120, (count, side, side)).astype(numpy.uint8)
        for image, label in zip(images, labels):
            image[int(label) * side // classes:][:2] += 100
        with open(os.path.join(folder, f"{split}-images-idx3-ubyte"), "wb") as file:
            file.write(struct.pack(">BBBBIII", 0, 0, 8, 3, count, side, side) + images.tobytes())
        with open(os.path.join(folder, f"{split}-labels-idx1-ubyte"), "wb") as file:
            file.write(struct.pack(">BBBBI", 0, 0, 8, 1, count) + labels.tobytes())
    return folder


def write_token_file(path, tokens=20000, vocabulary=64, seed=0):
    """For --data tokens --token-type uint16: ids that follow one another by a rule, with exceptions."""
    random = numpy.random.RandomState(seed)
    ids = (numpy.arange(tokens) * 7 + random.randint(0, 3, tokens)) % vocabulary
    ids[-1] = vocabulary - 1
    ids.astype("<u2").tofile(path)
    return path


class ParityTest(unittest.TestCase):
    """A folder for files, and comparisons that say what differs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def compare(self, options, world=2, trainer=(), twins=(), twin_world=None):
        """Runs both with `options` and compares every step's loss, the gradients of step 0 and the parameters at the end,
        of every rank."""
        dumps = lambda who: [f"--dump-{what}={self.path(who + '-' + what)}" for what in ("parameters", "gradients")]  # noqa: E731
        run = run_trainer([*options, "--evaluate-every", "0", *trainer, *dumps("trainer")], world)
        run_twin([*options, *twins, *dumps("twin"), f"--dump-losses={self.path('twin-losses')}"], twin_world or world)
        for rank in range(world):
            self.same_losses(run, rank, numpy.fromfile(self.path(f"twin-losses.{rank}"), numpy.float64))
            for what in ("gradients", "parameters"):
                self.same_bits(self.path(f"trainer-{what}.{rank}"), self.path(f"twin-{what}.{rank}"),
                               twin.read_names(self.path(f"twin-{what}.{rank}")))
        return run

    def same_losses(self, run, rank, losses):
        """The trainer's records carry shortest exact doubles; one of several steps has the mean of their losses."""
        records = run.metrics(rank)
        self.assertEqual(sum(int(record["steps"]) for record in records), len(losses), f"steps of rank {rank}")
        for record in records:
            last, count = int(record["step"]), int(record["steps"])
            mean = functools.reduce(operator.add, losses[last - count:last].tolist()) / count  # sum() rounds otherwise from 3.12 on
            if float(record["loss"]) != mean:
                self.fail(f"the loss of rank {rank}, steps {last - count + 1} to {last}: {record['loss']}, the twin's {mean!r}")

    def same_bits(self, ours, theirs, names=(), bound=0.0):
        """Two files of raw floats. names: (name, elements) of each tensor. bound: of the difference relative to the
        tensor's largest element; 0 asks for the same bits."""
        mine, other = (numpy.fromfile(path, numpy.float32) for path in (ours, theirs))
        self.assertGreater(mine.size, 0, ours)
        self.assertEqual(mine.size, other.size, f"elements of {ours} and {theirs}")
        said, first = [], 0
        for name, count in names or [("all tensors", mine.size)]:
            a, b = mine[first:first + count], other[first:first + count]
            first += count
            differing = a.view(numpy.uint32) != b.view(numpy.uint32)
            if not differing.any():
                continue
            largest, scale = numpy.abs(a.astype(float) - b).max(), numpy.abs(b).max()
            if bound and largest <= bound * scale:
                continue
            said.append(f"{name}: {differing.sum()} of {count} elements differ, by {largest:.3g} at most (largest element {scale:.3g})")
        self.assertEqual(first, mine.size, "the names cover all elements")
        if said:
            self.fail(f"{os.path.basename(ours)} and {os.path.basename(theirs)}\n  " + "\n  ".join(said))
