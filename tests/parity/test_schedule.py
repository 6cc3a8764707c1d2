#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trainer's rates beside torch.optim.lr_scheduler's. Python computes most of them step by step from the rate before, and
each step rounds once: after n steps the two may differ by n roundings, which is the bound. OneCycleLR is in closed form."""
import sys
import unittest

import torch
from torch.optim.lr_scheduler import ConstantLR, CosineAnnealingLR, LinearLR, OneCycleLR, SequentialLR, StepLR

import harness

STEPS, HIGHEST = 40, 0.3


def python_rates(make, warmup=0):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=HIGHEST)
    schedule = make(optimizer)
    if warmup:
        rise = LinearLR(optimizer, start_factor=1 / warmup, total_iters=warmup - 1)
        schedule = SequentialLR(optimizer, [rise, schedule], milestones=[warmup])
    rates = []
    for _ in range(STEPS - 1):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return [*rates, optimizer.param_groups[0]["lr"]]


class Schedule(harness.ParityTest):
    def setUp(self):
        super().setUp()
        data = harness.write_idx_folder(self.path("data"), samples=STEPS)
        self.options = ["--data", "idx", "--data-path", data, "--batch", "1", "--model", "mlp", "--optimizer", "sgd",
                        "--width", "2", "--depth", "1", "--momentum", "0", "--lr", HIGHEST, "--evaluate-every", "0"]

    def same(self, rates, *options, roundings=None):
        run = harness.run_trainer([*self.options, *options], world=1)
        records = run.metrics()
        self.assertEqual(int(records[-1]["step"]), STEPS)
        for record in records:
            step, rate = int(record["step"]), float(record["lr"])
            expected = rates[step - 1]
            allowed = (step if roundings is None else roundings) * sys.float_info.epsilon * max(expected, HIGHEST)
            self.assertLessEqual(abs(rate - expected), allowed, f"step {step}: {rate!r}, Python's {expected!r}")

    def test_constant(self):
        self.same(python_rates(lambda optimizer: ConstantLR(optimizer, factor=1)), roundings=0)

    def test_warmup(self):
        self.same(python_rates(lambda optimizer: ConstantLR(optimizer, factor=1), warmup=16), "--schedule", "warmup",
                  "--warmup-steps", 16)

    def test_cosine(self):
        self.same(python_rates(lambda optimizer: CosineAnnealingLR(optimizer, T_max=STEPS, eta_min=0.01)), "--schedule", "cosine",
                  "--lr-min", 0.01)

    def test_cosine_after_a_warmup(self):
        self.same(python_rates(lambda optimizer: CosineAnnealingLR(optimizer, T_max=STEPS - 8), warmup=8), "--schedule", "cosine",
                  "--warmup-steps", 8)

    def test_step(self):
        self.same(python_rates(lambda optimizer: StepLR(optimizer, step_size=7, gamma=0.3)), "--schedule", "step",
                  "--schedule-every", 7, "--gamma", 0.3)

    def test_one_cycle(self):
        self.same(python_rates(lambda optimizer: OneCycleLR(optimizer, HIGHEST, total_steps=STEPS, cycle_momentum=False)),
                  "--schedule", "one-cycle", roundings=1)


if __name__ == "__main__":
    unittest.main()
