#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ddp beside stock DistributedDataParallel: losses of every step, gradients of step 0 and parameters at the end."""
import unittest

import harness


class Ddp(harness.ParityTest):
    def setUp(self):
        super().setUp()
        self.options = ["--data", "idx", "--data-path", harness.write_idx_folder(self.path("data"), samples=640), "--batch", "16",
                        "--steps", "20"]

    def test_cnn_with_adamw(self):
        self.compare([*self.options, "--model", "cnn", "--optimizer", "adamw"])

    def test_mlp_with_sgd(self):
        self.compare([*self.options, "--model", "mlp", "--optimizer", "sgd"])


if __name__ == "__main__":
    unittest.main()
