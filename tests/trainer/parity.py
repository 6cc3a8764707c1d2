#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trainer beside PyTorch itself, from the same wheel. Run by ctest inside python_env.sh's environment.

    parity.py TRAINER SOURCE_DIR
"""
import os
import socket
import subprocess
import sys
import tempfile
import unittest

import torch

TRAINER, SOURCE = sys.argv[1:3]
sys.path.insert(0, os.path.join(SOURCE, "tests", "bench"))
import twin  # noqa: E402

STEPS, WORLD, DEADLINE_S = 8, 2, 120


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(rank, port):
    return dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(WORLD), MASTER_ADDR="127.0.0.1",
                MASTER_PORT=str(port), OMP_NUM_THREADS="1")


def run_trainer(*options):
    port = free_port()
    command = [TRAINER, "--device", "cpu", "--threads", "1", *options]
    ranks = [subprocess.Popen(command, env=environment(rank, port), stdout=subprocess.DEVNULL) for rank in range(WORLD)]
    codes = [rank.wait(DEADLINE_S) for rank in ranks]
    assert codes == [0] * WORLD, codes


def run_twin(*options):
    """The twin's ranks as forks of this process: torch is imported once."""
    port = free_port()
    children = []
    for rank in range(WORLD):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                os.environ.update(environment(rank, port))
                sys.argv = ["twin.py", *options]
                twin.main()
                code = 0
            finally:
                os._exit(code)
        children.append(pid)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
    assert codes == [0] * WORLD, codes


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Parity(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def same_bits(self, model, optimizer):
        options = ["--model", model, "--optimizer", optimizer, "--steps", str(STEPS)]
        run_trainer(*options, "--dump-parameters", self.path("trainer"))
        run_twin(*options, "--tuned", "yes", "--dump-parameters", self.path("twin"))
        self.assertGreater(len(read(self.path("twin.0"))), 100_000)
        self.assertEqual(read(self.path("trainer.0")), read(self.path("twin.0")))

    def test_cnn_with_adamw_has_the_bits_of_stock_ddp(self):
        self.same_bits("cnn", "adamw")

    def test_mlp_with_sgd_has_the_bits_of_stock_ddp(self):
        self.same_bits("mlp", "sgd")

    def test_a_checkpoint_opens_in_python(self):
        for name, kind in (("adamw", torch.optim.AdamW), ("sgd", torch.optim.SGD)):
            with self.subTest(optimizer=name):
                run_trainer("--model", "mlp", "--optimizer", name, "--steps", str(STEPS), "--checkpoint", self.path("state.pt"),
                            "--dump-parameters", self.path("trainer"))
                state = torch.load(self.path("state.pt"), weights_only=True)
                model = twin.Mlp()
                model.load_state_dict(state["model"])
                bits = b"".join(parameter.detach().numpy().tobytes() for parameter in model.parameters())
                self.assertEqual(bits, read(self.path("trainer.0")))
                self.assertEqual((state["step"], state["world"], state["batch"]), (STEPS, WORLD, 64))

                options = {"momentum": 0.9} if name == "sgd" else {}
                optimizer = kind(model.parameters(), lr=0.5, **options)
                optimizer.load_state_dict(state["optimizer"])
                self.assertEqual(optimizer.param_groups[0]["lr"], 0.001 if name == "adamw" else 0.01)
                if name == "adamw":
                    self.assertEqual(float(optimizer.state[model.fc1.weight]["step"]), STEPS)
                model(torch.zeros(1, 784)).sum().backward()
                optimizer.step()  # what was loaded is complete

    def test_a_checkpoint_of_pythons_is_resumed(self):
        run_trainer("--model", "mlp", "--steps", str(STEPS), "--checkpoint", self.path("ours.pt"))
        state = torch.load(self.path("ours.pt"), weights_only=True)
        state["model"] = {"module." + name: tensor for name, tensor in state["model"].items()}  # as DDP names them
        torch.save(state, self.path("theirs.pt"))
        for name in ("ours", "theirs"):
            run_trainer("--model", "mlp", "--steps", str(STEPS + 2), "--resume", self.path(name + ".pt"), "--dump-parameters",
                        self.path(name))
        self.assertEqual(read(self.path("ours.0")), read(self.path("theirs.0")))

    def test_the_sampler_vectors_are_pythons(self):
        script = os.path.join(SOURCE, "tests", "trainer", "sampler_vectors.py")
        made = subprocess.run([sys.executable, script], check=True, capture_output=True).stdout
        self.assertEqual(made, read(os.path.join(SOURCE, "tests", "trainer", "sampler_vectors.txt")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
