#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One weight under two names, beside Python: trained as one tensor, and kept as one in files."""
import os
import unittest

import torch
from torch import nn

import harness
import twin

LIBRARY = ["--model", "library", "--model-file", os.environ["LOCKSTEP_BRANCHY"], "--depth", "1"]
STEPS = 10


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.middle, self.last = nn.Linear(784, 16), nn.Linear(16, 16), nn.Linear(16, 10)
        self.shared = self.middle.weight

    def forward(self, images):
        x = torch.relu(self.middle(torch.relu(self.first(images.flatten(1)))))
        return self.last(torch.relu(nn.functional.linear(x, self.shared)))


class TiedWeights(harness.ParityTest):
    def setUp(self):
        super().setUp()
        self.options = ["--data", "idx", "--data-path", harness.write_idx_folder(self.path("data"), samples=320), "--batch", "8",
                        "--model", "mlp", "--steps", STEPS]
        plain, twin.make_model = twin.make_model, lambda options, loaded: Tied()
        self.addCleanup(setattr, twin, "make_model", plain)

    def test_trained_as_one_tensor(self):
        for optimizer in ("sgd", "adamw"):
            with self.subTest(optimizer=optimizer):
                self.compare([*self.options, "--optimizer", optimizer], trainer=LIBRARY)

    def test_under_other_strategies(self):
        hashes = [harness.run_trainer([*self.options, *LIBRARY, "--strategy", strategy], world).fact("parameter_hash")
                  for strategy, world in (("ddp", 1), ("single", 1), ("fsdp", 1), ("ddp", 2), ("fsdp", 2))]
        self.assertEqual(hashes[0:2], hashes[1:3])
        self.assertEqual(hashes[3], hashes[4])

    def test_in_files(self):
        saved = ["--checkpoint", self.path("states"), "--export-weights", self.path("out.safetensors")]
        whole = harness.run_trainer([*self.options, *LIBRARY, *saved, "--checkpoint-steps", STEPS // 2])
        state = torch.load(os.path.join(self.path("states"), f"step-{STEPS // 2:09d}.pt"), weights_only=True)
        self.assertEqual(state["model"]["shared"].data_ptr(), state["model"]["middle.weight"].data_ptr())
        model = Tied()
        model.load_state_dict(state["model"])
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
        optimizer.load_state_dict(state["optimizer"])
        # Python's own file of it is resumed, with the same bits in the end.
        kept = {key: value for key, value in state.items() if key not in ("model", "optimizer")}
        torch.save({**kept, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, self.path("python.pt"))
        resumed = harness.run_trainer([*self.options, *LIBRARY, "--resume", self.path("python.pt")])
        self.assertEqual(resumed.fact("parameter_hash"), whole.fact("parameter_hash"))
        # safetensors has it once.
        header = harness.read(self.path("out.safetensors"))[8:].split(b"}}")[0]
        self.assertIn(b'"shared"', header)
        self.assertNotIn(b'"middle.weight"', header)
        harness.run_trainer([*self.options, *LIBRARY, "--weights", self.path("out.safetensors")])


if __name__ == "__main__":
    unittest.main()
