#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every network of the trainer beside its twin of models.py: the gradients of one step and the parameters after it, on one
rank, bit for bit. They can only be equal where names, initial weights, random draws and operators are."""
import unittest

import torch

import harness
import models
import twin
import twindata


class Models(harness.ParityTest):
    def same(self, name, data, shape=None, **options):
        """One step of SGD with and without dropout on the first samples."""
        arguments = [*data, "--model", name, "--steps", "1", "--batch", "4", "--shuffle", "no", "--optimizer", "sgd",
                     "--momentum", "0", "--seed", "3", "--workers", "0", "--evaluate-every", "0"]
        given = [f"--{key}={value}" for key, value in options.items()]
        dumps = [f"--dump-{what}={self.path('trainer-' + what)}" for what in ("gradients", "parameters")]
        run = harness.run_trainer([*arguments, *given, *dumps], world=1)

        settings = twin.arguments([*data, "--batch", "4", "--seed", "3"])
        loaded = twindata.load(settings)
        if isinstance(loaded, twindata.Tokens):
            shape = models.Shape(classes=loaded.vocabulary, context=loaded.context)
        else:
            shape = models.Shape(loaded.channels, loaded.height, loaded.width, loaded.classes)
        torch.manual_seed(3)
        model = models.make(name, shape, **options)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, fused=True)
        inputs, targets = loaded.batch(torch.arange(4))
        twin.seed_step(settings, 0, 0)
        loss = models.loss(model(inputs), targets)
        loss.backward()
        self.assertEqual(float(run.metrics()[0]["loss"]), loss.item())
        names = [(key, parameter.numel()) for key, parameter in model.named_parameters()]
        self.write("gradients", [parameter.grad for parameter in model.parameters()])
        optimizer.step()
        self.write("parameters", model.parameters())
        for what in ("gradients", "parameters"):
            self.same_bits(self.path(f"trainer-{what}.0"), self.path(f"twin-{what}.0"), names)

    def write(self, what, tensors):
        with open(self.path(f"twin-{what}.0"), "wb") as file:
            for tensor in tensors:
                file.write(tensor.detach().contiguous().numpy().tobytes())

    def images(self, side):
        folder = harness.write_idx_folder(self.path(f"images{side}"), samples=16, tests=10, side=side)
        return ["--data", "idx", "--data-path", folder]

    def tokens(self):
        return ["--data", "tokens", "--data-path", harness.write_token_file(self.path("tokens"), tokens=400), "--context", "24"]

    def test_mlp(self):
        self.same("mlp", self.images(28))
        self.same("mlp", self.images(28), width=20, depth=3, dropout=0.1)

    def test_cnn(self):
        self.same("cnn", self.images(28))
        self.same("cnn", self.images(28), width=4, depth=3, dropout=0.1)

    def test_resnet18(self):
        self.same("resnet18", self.images(28))
        self.same("resnet18", self.images(40), width=8)
        self.same("resnet18", self.images(28), width=8, depth=1)

    def test_resnet50(self):
        self.same("resnet50", self.images(40), width=8)

    def test_vit(self):
        self.same("vit", self.images(28), width=64, depth=2, attention="fused")
        self.same("vit", self.images(28), width=64, depth=2, heads=4, patch=7, dropout=0.1, attention="plain")


if __name__ == "__main__":
    unittest.main()
