#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every network of the trainer beside its twin of models.py: the gradients of one step and the parameters after it, on one
rank, bit for bit. They can only be equal where names, initial weights, random draws and operators are."""
import unittest
from typing import Optional

import torch

import harness
import models
import twin
import twindata

torch.set_num_threads(1)  # as the trainer: sums over samples round by how they are shared out


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

    def test_gpt(self):
        self.same("gpt", self.tokens())
        for attention in ("fused", "plain"):
            for positions in ("learned", "rotary"):
                with self.subTest(attention=attention, positions=positions):
                    self.same("gpt", self.tokens(), width=32, depth=2, heads=2, dropout=0.1, positions=positions, attention=attention)


class ThreeLayers(torch.nn.Module):
    """The mlp, in a form that can be scripted."""

    def __init__(self):
        super().__init__()
        self.fc1 = torch.nn.Linear(28 * 28, 256)
        self.fc2 = torch.nn.Linear(256, 128)
        self.fc3 = torch.nn.Linear(128, 10)

    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x.flatten(1))))))


class OwnLoss(torch.nn.Module):
    """Gives the loss itself, or the scores where there are no targets."""

    def __init__(self, reduction: str):
        super().__init__()
        self.reduction = reduction
        self.fc1 = torch.nn.Linear(28 * 28, 10)

    def forward(self, x, y: Optional[torch.Tensor] = None):
        scores = self.fc1(x.flatten(1))
        return scores if y is None else torch.nn.functional.cross_entropy(scores, y, reduction=self.reduction)


class LossOnly(OwnLoss):
    def forward(self, x, y):
        return torch.nn.functional.cross_entropy(self.fc1(x.flatten(1)), y)


class TwoHeads(OwnLoss):
    def forward(self, x):
        return self.fc1(x.flatten(1)), x


class Scripted(harness.ParityTest):
    """--model torchscript: what torch.jit.script(module).save wrote, trained by two ranks."""

    def train(self, module, *more, codes=(0,)):
        torch.jit.script(module).save(self.path("module.pt"))
        folder = harness.write_idx_folder(self.path("images"), samples=64, tests=10)
        options = ["--data", "idx", "--data-path", folder, "--batch", "8", "--steps", "3", "--seed", "3", "--workers", "0"]
        dump = [f"--dump-parameters={self.path('scripted')}"]
        run = harness.run_trainer([*options, "--model", "torchscript", "--model-file", self.path("module.pt"), *more, *dump], codes=codes)
        return run, options

    def test_the_bits_are_the_built_in_networks(self):
        torch.manual_seed(3)
        module = ThreeLayers()
        _, options = self.train(module)
        harness.run_trainer([*options, "--model", "mlp", f"--dump-parameters={self.path('own')}"])
        self.same_bits(self.path("scripted.0"), self.path("own.0"), [(name, p.numel()) for name, p in module.named_parameters()])

    def test_a_module_that_gives_its_loss(self):
        run, _ = self.train(OwnLoss("mean"))
        self.assertEqual(run.fact("steps_done"), "3")

    def test_a_loss_that_is_a_sum_is_refused(self):
        run, _ = self.train(OwnLoss("sum"), codes=(2, 1))
        self.assertIn(2, run.codes)
        self.assertIn("it is a sum over the batch and must be the mean", "".join(run.errors))

    def test_a_module_without_scores_is_trained_but_not_tested(self):
        run, _ = self.train(LossOnly("mean"), "--evaluate-every", "0")
        self.assertEqual(run.fact("steps_done"), "3")
        run, _ = self.train(LossOnly("mean"), codes=(2, 1))
        self.assertIn("gives a loss and no scores", "".join(run.errors))

    def test_two_outputs_are_refused(self):
        run, _ = self.train(TwoHeads("mean"), codes=(2, 1))
        self.assertIn("must give one tensor", "".join(run.errors))

    def test_a_scripted_batch_norm_cannot_be_synchronous(self):
        module = models.make("resnet18", models.Shape(), width=4, depth=1)
        run, _ = self.train(module, "--sync-batch-norm", "yes", codes=(2, 1))
        self.assertIn("bn1 is a BatchNorm2d, which cannot be turned", "".join(run.errors))


if __name__ == "__main__":
    unittest.main()
