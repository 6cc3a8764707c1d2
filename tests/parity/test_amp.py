#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Autocast, loss scaling and clipping beside Python's: torch.autocast, torch.amp.GradScaler, torch.nn.utils.clip_grad_norm_."""
import json
import unittest

import torch

import harness
import twin


class WatchedTwin(twin.Twin):
    """Notes each step's scale (as the gradients of the step had it), whether it was left out, and the norm before clipping."""

    def __init__(self, options):
        super().__init__(options)
        self.scales, self.skipped, self.norms = [], [], []
        plain = torch.nn.utils.clip_grad_norm_

        def noted(parameters, most):
            norm = plain(parameters, most)
            self.norms.append(norm.item())
            return norm
        torch.nn.utils.clip_grad_norm_ = noted  # in a fork that ends with the twin

    def step(self, batches):
        self.scales.append(self.scaler.get_scale())
        samples = super().step(batches)
        self.skipped.append(self.scaler.get_scale() < self.scales[-1])
        return samples


class Amp(harness.ParityTest):
    def setUp(self):
        super().setUp()
        self.options = ["--data", "idx", "--data-path", harness.write_idx_folder(self.path("data"), samples=640), "--batch", "16"]
        self.mlp = [*self.options, "--model", "mlp", "--optimizer", "sgd"]

    def watched(self, options):
        """Runs both, compares their losses and parameters, and returns the trainer's run and what rank 0 of the twin noted."""
        def ranks():
            settings = twin.arguments([*options, f"--dump-losses={self.path('losses')}", f"--dump-parameters={self.path('twin')}"])
            torch.set_num_threads(1)
            torch.distributed.init_process_group("gloo")
            watched = WatchedTwin(settings)
            watched.train()
            watched.dump()
            if watched.rank == 0:
                with open(self.path("notes"), "w", encoding="utf-8") as file:
                    json.dump([watched.scales, watched.skipped, watched.norms], file)
            torch.distributed.barrier()
            torch.distributed.destroy_process_group()
        run = harness.run_trainer([*options, "--evaluate-every", "0", f"--dump-parameters={self.path('trainer')}"])
        harness.in_ranks(ranks)
        for rank in range(2):
            self.same_losses(run, rank, harness.numpy.fromfile(self.path(f"losses.{rank}"), harness.numpy.float64))
            self.same_bits(self.path(f"trainer.{rank}"), self.path(f"twin.{rank}"), twin.read_names(self.path(f"twin.{rank}")))
        with open(self.path("notes"), encoding="utf-8") as file:
            return run, *json.load(file)

    def test_bf16(self):
        for model, optimizer in (("mlp", "sgd"), ("cnn", "adamw"), ("resnet18", "sgd")):
            with self.subTest(model=model):
                width = ["--width", "8"] if model == "resnet18" else []
                self.watched([*self.options, "--steps", "4", "--precision", "bf16", "--model", model, *width, "--optimizer", optimizer])

    def test_gpt_in_half_precision(self):
        data = ["--data", "tokens", "--data-path", harness.write_token_file(self.path("tokens.bin")), "--context", "16", "--batch", "4"]
        for precision in ("bf16", "fp16"):
            with self.subTest(precision=precision):
                self.watched([*data, "--model", "gpt", "--width", "32", "--depth", "2", "--heads", "2", "--steps", "4",
                              "--optimizer", "adamw", "--precision", precision])

    def test_fp16_has_pythons_scales(self):
        # Too high at first, then doubled after every second good step: it overflows several times. Without momentum: where the
        # first step is left out, Python's fused SGD goes on with a momentum that nobody has written.
        run, scales, skipped, _ = self.watched([*self.mlp, "--momentum", "0", "--steps", "20", "--precision", "fp16",
                                                "--loss-scale", str(2.0 ** 24), "--loss-scale-every", "2"])
        self.assertGreaterEqual(sum(skipped), 4)
        self.assertLess(sum(skipped), 16)
        for rank in range(2):
            total = 0
            for record in run.metrics(rank):
                step = int(record["step"])
                self.assertEqual(float(record["loss_scale"]), scales[step - 1], f"step {step}")
                total += int(record.get("skipped", 0))
            self.assertEqual(total, sum(skipped))

    def test_fp16_with_adamw_counts_no_step_that_was_left_out(self):
        self.watched([*self.options, "--model", "mlp", "--optimizer", "adamw", "--steps", "8", "--precision", "fp16",
                      "--loss-scale", str(2.0 ** 24), "--accumulate", "2"])

    def test_the_norm_is_clip_grad_norms(self):
        run, _, _, norms = self.watched([*self.mlp, "--steps", "12", "--clip-norm", "0.5"])
        self.assertTrue(all(norm > 0.5 for norm in norms))
        for record in run.metrics():
            self.assertEqual(float(record["grad_norm"]), norms[int(record["step"]) - 1])

    def test_clipping_by_value(self):
        self.watched([*self.mlp, "--steps", "8", "--clip-value", "0.001"])


if __name__ == "__main__":
    unittest.main()
