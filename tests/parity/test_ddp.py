#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ddp beside stock DistributedDataParallel: losses of every step, gradients of step 0 and parameters after 20 steps, of every
rank, bit for bit."""
import os
import unittest

import numpy
import torch

import harness
import twin

STEPS = 20
SMALL = {"mlp": ["--model", "mlp"], "cnn": ["--model", "cnn", "--width", "8"], "resnet18": ["--model", "resnet18", "--width", "8"],
         "gpt": ["--model", "gpt", "--width", "32", "--depth", "2", "--heads", "2"]}
SGD = ["--optimizer", "sgd", "--momentum", "0.9"]
ADAMW = ["--optimizer", "adamw"]


class DdpTest(harness.ParityTest):
    def options(self, model, *more, batch=4, ranks=2, accumulate=1):
        """As many samples as the steps need, so that there is one epoch."""
        samples = STEPS * batch * ranks * accumulate
        if model == "gpt":
            harness.write_token_file(self.path("train.bin"), tokens=16 * samples + 1)
            data = ["--data", "tokens", "--data-path", self.folder, "--context", "16"]
        else:
            side = 16 if model == "resnet18" else 28
            data = ["--data", "idx", "--data-path", harness.write_idx_folder(self.path("data"), samples=samples, side=side)]
        return [*data, *SMALL[model], "--batch", batch, "--accumulate", accumulate, *more]


class Ddp(DdpTest):
    def test_mlp(self):
        self.compare(self.options("mlp", *SGD))

    def test_mlp_with_adamw_and_accumulation(self):
        self.compare(self.options("mlp", *ADAMW, accumulate=3))

    def test_cnn(self):
        self.compare(self.options("cnn", *ADAMW))

    def test_cnn_with_sgd_and_accumulation(self):
        self.compare(self.options("cnn", *SGD, accumulate=3))

    def test_resnet18(self):
        self.compare(self.options("resnet18", *SGD), trainer=["--checkpoint", self.path("states")],
                     twins=[f"--dump-buffers={self.path('buffers')}"])
        self.same_buffers()

    def same_buffers(self):
        """Batch norms' running means and counts, of rank 0, in the checkpoint."""
        state = torch.load(os.path.join(self.path("states"), f"step-{STEPS:09d}.pt"), weights_only=True)["model"]
        names = twin.read_names(self.path("buffers.0"))
        self.assertGreater(len(names), 20)
        with open(self.path("saved"), "wb") as file:
            for name, count in names:
                self.assertEqual(state[name].numel(), count, name)
                file.write(state[name].float().numpy().tobytes())
        self.same_bits(self.path("saved"), self.path("buffers.0"), names)

    def test_resnet18_with_adamw_and_accumulation(self):
        self.compare(self.options("resnet18", *ADAMW, accumulate=2))

    def test_gpt(self):
        self.compare(self.options("gpt", *ADAMW))

    def test_gpt_with_sgd_and_accumulation(self):
        self.compare(self.options("gpt", *SGD, accumulate=2))

    def test_an_epoch_that_ends_in_mid_window(self):
        """The last step has one forward of the two, and its only batch is not full."""
        data = harness.write_idx_folder(self.path("data"), samples=2 * (4 * 4 + 3))
        self.compare(["--data", "idx", "--data-path", data, *SMALL["mlp"], *SGD, "--batch", 4, "--accumulate", 2, "--epochs", 2])

    def test_three_ranks_and_small_buckets(self):
        """A sum of three depends on where a bucket begins: the same bits mean the same buckets in the same order."""
        for size in ("0.02", "0.2"):
            with self.subTest(bucket=size):
                self.compare(self.options("cnn", *SGD, "--bucket-mb", size, "--first-bucket-mb", size, ranks=3), world=3)

    def test_static_graph(self):
        """Without accumulation: stock DDP asserts when its first backward is one of no_sync()."""
        for model, optimizer in (("mlp", SGD), ("cnn", ADAMW), ("resnet18", SGD), ("gpt", ADAMW)):
            with self.subTest(model=model):
                self.compare(self.options(model, *optimizer, "--static-graph", "yes"))

    def test_find_unused_parameters_where_all_are_used(self):
        self.compare(self.options("mlp", *SGD, "--find-unused-parameters", "yes"))

    def test_without_bucket_views(self):
        self.compare(self.options("mlp", *SGD, "--bucket-views", "no"))

    def test_gradients_that_travel_in_half_precision(self):
        for form in ("fp16", "bf16"):
            with self.subTest(form=form):
                self.compare(self.options("mlp", *SGD, "--gradient-compression", form))

    def test_buffers_that_stay_each_ranks_own(self):
        self.compare(self.options("resnet18", *SGD, "--broadcast-buffers", "no"))

    def test_dropout_draws_the_same(self):
        self.compare(self.options("mlp", *SGD, "--dropout", "0.2", accumulate=2))


class SyncBatchNorm(DdpTest):
    """PyTorch's has no form for CPUs. What it must equal is batch norm over the whole batch, here in one process: other sums of
    the same numbers, so equal but for rounding. With a high learning rate 20 steps would enlarge that without limit."""

    BOUND = 1e-5  # of a tensor's largest element; 3e-6 was seen

    def test_two_ranks_are_one_with_the_whole_batch(self):
        options = self.options("resnet18", *SGD, "--lr", "0.001")
        dumps = [f"--dump-{what}={self.path('trainer-' + what)}" for what in ("parameters", "gradients")]
        run = harness.run_trainer([*options, "--sync-batch-norm", "yes", "--evaluate-every", "0", *dumps])
        dumps = [f"--dump-{what}={self.path('twin-' + what)}" for what in ("parameters", "gradients", "losses")]
        harness.run_twin([*options, "--strategy", "single", "--as-ranks", "2", *dumps], world=1)
        ours = sum(float(record["loss"]) * int(record["steps"]) for rank in range(2) for record in run.metrics(rank)) / 2
        whole = numpy.fromfile(self.path("twin-losses.0"), numpy.float64).sum()
        self.assertLess(abs(ours / whole - 1), self.BOUND)
        for rank in range(2):
            for what in ("gradients", "parameters"):
                self.same_bits(self.path(f"trainer-{what}.{rank}"), self.path(f"twin-{what}.0"),
                               twin.read_names(self.path(f"twin-{what}.0")), self.BOUND)


if __name__ == "__main__":
    unittest.main()
