#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints are files that Python opens into its own objects, and Python's are resumed."""
import unittest

import torch

import harness
import models

STEPS, WORLD = 8, 2


class Checkpoints(harness.ParityTest):
    def setUp(self):
        super().setUp()
        data = harness.write_idx_folder(self.path("data"), samples=512)
        self.options = ["--data", "idx", "--data-path", data, "--batch", "16", "--model", "mlp"]

    def test_a_checkpoint_opens_in_python(self):
        for name, kind in (("adamw", torch.optim.AdamW), ("sgd", torch.optim.SGD)):
            with self.subTest(optimizer=name):
                harness.run_trainer([*self.options, "--optimizer", name, "--steps", STEPS, "--checkpoint", self.path("state.pt"),
                                     "--dump-parameters", self.path("trainer")], WORLD)
                state = torch.load(self.path("state.pt"), weights_only=True)
                model = models.make("mlp")
                model.load_state_dict(state["model"])
                bits = b"".join(parameter.detach().numpy().tobytes() for parameter in model.parameters())
                self.assertEqual(bits, harness.read(self.path("trainer.0")))
                self.assertEqual(state["step"], STEPS)

                options = {"momentum": 0.9} if name == "sgd" else {}
                optimizer = kind(model.parameters(), lr=0.5, **options)
                optimizer.load_state_dict(state["optimizer"])
                self.assertEqual(optimizer.param_groups[0]["lr"], 0.001 if name == "adamw" else 0.01)
                if name == "adamw":
                    self.assertEqual(float(optimizer.state[model.fc1.weight]["step"]), STEPS)
                model(torch.zeros(1, 784)).sum().backward()
                optimizer.step()  # what was loaded is complete

    def test_a_checkpoint_of_pythons_is_resumed(self):
        harness.run_trainer([*self.options, "--steps", STEPS, "--checkpoint", self.path("ours.pt")], WORLD)
        state = torch.load(self.path("ours.pt"), weights_only=True)
        state["model"] = {"module." + name: tensor for name, tensor in state["model"].items()}  # as DDP names them
        torch.save(state, self.path("theirs.pt"))
        for name in ("ours", "theirs"):
            harness.run_trainer([*self.options, "--steps", STEPS + 2, "--resume", self.path(name + ".pt"), "--dump-parameters",
                                 self.path(name)], WORLD)
        self.assertEqual(harness.read(self.path("ours.0")), harness.read(self.path("theirs.0")))


if __name__ == "__main__":
    unittest.main()
