#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fsdp beside fully_shard: losses of every step, gradients of step 0 and parameters after 20 steps, of every rank. On two
ranks bit for bit, as a sum of two numbers does not depend on how the shards are cut.

The sizes here are multiples of two vectors of 16 floats: PyTorch's fused optimisers round the last elements of a tensor,
those that fill no vector, unlike the others, and fully_shard cuts each parameter by rows and so makes such ends of its own.
Fsdp cuts at multiples of a vector and has the bits of DDP with any sizes (tests/trainer/tst_fsdp.cpp)."""
import unittest

import harness
from test_ddp import ADAMW, SGD, STEPS

FSDP = ["--strategy", "fsdp"]
SMALL = {"mlp": ["--model", "mlp", "--width", "64"], "cnn": ["--model", "cnn", "--width", "32"],
         "resnet18": ["--model", "resnet18", "--width", "32"],
         "gpt": ["--model", "gpt", "--width", "32", "--depth", "2", "--heads", "2"]}
CLASSES = 32


class Fsdp(harness.ParityTest):
    def options(self, model, *more, accumulate=1, ranks=2, batch=4):
        samples = STEPS * batch * ranks * accumulate
        if model == "gpt":
            harness.write_token_file(self.path("train.bin"), tokens=16 * samples + 1)
            data = ["--data", "tokens", "--data-path", self.folder, "--context", "16"]
        else:
            folder = harness.write_idx_folder(self.path("data"), samples=samples, side=8 if model == "resnet18" else 32,
                                              classes=CLASSES)
            data = ["--data", "idx", "--data-path", folder]
        return [*data, *SMALL[model], *FSDP, "--batch", batch, "--accumulate", accumulate, *more]

    def test_mlp_which_is_one_unit(self):
        self.compare(self.options("mlp", *ADAMW, accumulate=3))

    def test_cnn(self):
        self.compare(self.options("cnn", *SGD))

    def test_resnet18(self):
        self.compare(self.options("resnet18", *ADAMW))

    def test_resnet18_with_accumulation(self):
        self.compare(self.options("resnet18", *SGD, accumulate=2))

    def test_gpt(self):
        self.compare(self.options("gpt", *ADAMW))

    def test_gpt_with_whole_gradients_between_forwards(self):
        self.compare(self.options("gpt", *SGD, accumulate=3))

    def test_gpt_that_reduces_after_every_forward(self):
        self.compare(self.options("gpt", *ADAMW, "--fsdp-accumulate", "shards", accumulate=3))

    def test_gpt_in_bf16_with_shards_in_fp32(self):
        for accumulate in ("full", "shards"):
            with self.subTest(accumulate=accumulate):
                self.compare(self.options("gpt", *ADAMW, "--fsdp-bf16", "yes", "--fsdp-accumulate", accumulate,
                                          accumulate=2))

    def test_gpt_that_stays_whole_after_forward(self):
        self.compare(self.options("gpt", *ADAMW, "--fsdp-reshard", "no"))

    def test_gpt_in_other_units_without_prefetch(self):
        self.compare(self.options("gpt", *ADAMW),
                     trainer=["--fsdp-units", "size", "--fsdp-unit-mb", "1", "--fsdp-prefetch", "no"])


if __name__ == "__main__":
    unittest.main()
