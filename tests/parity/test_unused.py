#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters without a gradient, in some steps, on some ranks or always, beside stock DistributedDataParallel: branchy.cpp and
its twin here. They keep out of momentum and decay as Python's, and those that are never used are named."""
import os
import unittest

import torch
from torch import nn

import harness
import twin

LIBRARY = os.environ["LOCKSTEP_BRANCHY"]


class Branchy(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.always = nn.Linear(784, 16), nn.Linear(16, 10)
        self.sometimes, self.never = nn.Linear(16, 10), nn.Linear(16, 10)
        self.dark, self.bright = nn.Linear(16, 16), nn.Linear(16, 16)
        self.forwards = 0

    def forward(self, images):
        x = torch.relu(self.first(images.flatten(1)))
        branch = self.bright if images[0].mean().item() > 0 else self.dark
        x = torch.relu(branch(x))
        scores = self.always(x)
        self.forwards += 1
        return scores + self.sometimes(x) if self.forwards % 2 == 1 and os.environ["RANK"] == "0" else scores


class Unused(harness.ParityTest):
    def same(self, *more):
        # So many that in the first step one rank takes `dark` and the other `bright`: PyTorch's fused SGD cannot begin with a
        # momentum later.
        data = harness.write_idx_folder(self.path("data"), samples=644)
        common = ["--data", "idx", "--data-path", data, "--batch", "8", "--weight-decay", "0.01", "--steps", "30",
                  "--find-unused-parameters", "yes", "--model", "mlp", *more]
        plain, twin.make_model = twin.make_model, lambda options, loaded: Branchy()
        self.addCleanup(setattr, twin, "make_model", plain)
        run = self.compare(common, trainer=["--model", "library", "--model-file", LIBRARY])
        named = [fields["no_gradient"] for kind, fields in run.records[0] if kind == "info" and "no_gradient" in fields]
        self.assertEqual(named, ["never.weight", "never.bias"])
        self.assertIn("never.bias", run.errors[0])

    def test_adamw(self):
        self.same("--optimizer", "adamw")

    def test_adamw_without_bucket_views(self):
        self.same("--optimizer", "adamw", "--bucket-views", "no")

    def test_sgd_with_momentum(self):
        self.same("--optimizer", "sgd")


if __name__ == "__main__":
    unittest.main()
