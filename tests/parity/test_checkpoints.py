#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints are files that Python opens into its own objects, and Python's are resumed."""
import json
import os
import unittest

import torch

import harness
import models

STEPS, WORLD = 8, 2
SAFETENSORS_TYPES = {"F32": torch.float32, "F16": torch.float16, "I64": torch.int64}


def read_safetensors(path):
    """By the definition of the format (huggingface/safetensors, README), and nothing else."""
    bytes_ = bytearray(harness.read(path))
    length = int.from_bytes(bytes_[:8], "little")
    header, data = json.loads(bytes_[8:8 + length]), bytes_[8 + length:]
    metadata, tensors, covered = header.pop("__metadata__"), {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = entry["data_offsets"]
        assert begin == covered, "a hole, or an overlap"
        covered = end
        tensors[name] = torch.frombuffer(data[begin:end], dtype=SAFETENSORS_TYPES[entry["dtype"]]).reshape(entry["shape"])
    assert covered == len(data) and all(isinstance(value, str) for value in metadata.values())
    return tensors, metadata


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        kind = next(key for key, value in SAFETENSORS_TYPES.items() if value == tensor.dtype)
        bytes_ = tensor.contiguous().numpy().tobytes()
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(bytes_)]}
        data += bytes_
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)


class Checkpoints(harness.ParityTest):
    def setUp(self):
        super().setUp()
        data = harness.write_idx_folder(self.path("data"), samples=512)
        self.options = ["--data", "idx", "--data-path", data, "--batch", "16", "--model", "mlp"]

    def train(self, *options, world=1, codes=(0,)):
        return harness.run_trainer([*self.options, *options], world, codes)

    def saved(self, name, *options, world=1):
        """Trains and gives the checkpoint of the last step."""
        steps = dict(zip(options[::2], options[1::2])).get("--steps", STEPS)
        self.train("--checkpoint", self.path(name), *(() if "--steps" in options else ("--steps", STEPS)), *options, world=world)
        return os.path.join(self.path(name), f"step-{int(steps):09d}.pt")

    def same_parameters(self, *options):
        """The parameters that runs end with, one run for each list of options."""
        found = []
        for i, own in enumerate(options):
            self.train(*own, "--dump-parameters", self.path(f"run{i}"))
            found.append(harness.read(self.path(f"run{i}.0")))
        for other in found[1:]:
            self.assertEqual(found[0], other)

    def test_a_checkpoint_opens_in_python(self):
        for name, kind in (("adamw", torch.optim.AdamW), ("sgd", torch.optim.SGD)):
            with self.subTest(optimizer=name):
                path = self.saved(name, "--optimizer", name, "--dump-parameters", self.path("trainer"), world=WORLD)
                state = torch.load(path, weights_only=True)
                model = models.make("mlp")
                model.load_state_dict(state["model"])
                bits = b"".join(parameter.detach().numpy().tobytes() for parameter in model.parameters())
                self.assertEqual(bits, harness.read(self.path("trainer.0")))
                self.assertEqual((state["step"], state["epoch"], state["taken_of_epoch"], state["seed"]), (STEPS, 0, 256, 0))

                options = {"momentum": 0.9} if name == "sgd" else {}
                optimizer = kind(model.parameters(), lr=0.5, **options)
                optimizer.load_state_dict(state["optimizer"])
                self.assertEqual(optimizer.param_groups[0]["lr"], 0.001 if name == "adamw" else 0.01)
                if name == "adamw":
                    self.assertEqual(float(optimizer.state[model.fc1.weight]["step"]), STEPS)
                model(torch.zeros(1, 784)).sum().backward()
                optimizer.step()  # what was loaded is complete

                mapped = torch.load(path, weights_only=True, mmap=True)  # every tensor lies where its type wants it
                self.assertTrue(all(torch.equal(mapped["model"][key], value) for key, value in state["model"].items()))

    def test_checkpoints_of_pythons_are_resumed(self):
        ours = self.saved("ours")
        state = torch.load(ours, weights_only=True)
        model = models.make("mlp")
        model.load_state_dict(state["model"])  # its state_dict() is an OrderedDict with metadata
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
        optimizer.load_state_dict(state["optimizer"])
        counts = {key: state[key] for key in ("step", "epoch", "taken_of_epoch")}
        wrapped = {"module." + name: tensor for name, tensor in model.state_dict().items()}  # as DDP names them
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), **counts}, self.path("plain.pt"))
        torch.save({"state_dict": wrapped, "optimizer_state_dict": optimizer.state_dict(), **counts}, self.path("wrapped.pt"))
        torch.save({"model": dict(model.named_parameters()), "optimizer": optimizer.state_dict(), **counts, "args": {"lr": 1e-3}},
                   self.path("parameters.pt"), pickle_protocol=2)
        self.same_parameters(*[["--steps", STEPS + 2, "--resume", path] for path in
                               (ours, self.path("plain.pt"), self.path("wrapped.pt"), self.path("parameters.pt"))])

    def test_without_counts_it_begins_at_the_first_step(self):
        state = torch.load(self.saved("ours"), weights_only=True)
        torch.save({"model": state["model"], "optimizer": state["optimizer"]}, self.path("bare.pt"))
        run = self.train("--steps", 3, "--resume", self.path("bare.pt"))
        self.assertEqual((run.fact("resumed_step"), run.fact("steps_done")), ("0", "3"))

    def test_what_is_no_checkpoint_is_named(self):
        state = torch.load(self.saved("ours"), weights_only=True)
        torch.save(models.make("mlp"), self.path("module.pt"))
        torch.save(state["model"], self.path("weights.pt"))
        torch.save(state["optimizer"], self.path("optimizer.pt"))
        torch.save(state, self.path("old.pt"), _use_new_zipfile_serialization=False)
        torch.save({**state, "model": {**state["model"], "fc9.bias": torch.zeros(1)}}, self.path("more.pt"))
        for name, words in (("module", "an object of the kind models.Mlp"), ("weights", "no optimiser; --weights"),
                            ("optimizer", "the state of an optimiser alone"), ("old", "is no checkpoint"),
                            ("more", "it has fc9.bias, which the model has not")):
            with self.subTest(name):
                run = self.train("--resume", self.path(name + ".pt"), codes=(5,))
                self.assertIn(words, run.errors[0])

    def test_weights_of_any_kind(self):
        ours = self.saved("ours")
        weights = torch.load(ours, weights_only=True)["model"]
        torch.save(weights, self.path("weights.pt"))
        torch.save({"module." + name: tensor for name, tensor in weights.items()}, self.path("wrapped.pt"))
        shared = torch.cat([tensor.flatten() for tensor in weights.values()])  # one storage, each tensor a part of it
        parts, first = {}, 0
        for name, tensor in weights.items():
            parts[name] = shared[first:first + tensor.numel()].view(tensor.shape)
            first += tensor.numel()
        torch.save(parts, self.path("shared.pt"))
        torch.save({name: tensor.t().contiguous().t() for name, tensor in weights.items()}, self.path("strided.pt"))
        write_safetensors(self.path("weights.safetensors"), weights)
        write_safetensors(self.path("wrapped.safetensors"), {"module." + name: tensor for name, tensor in weights.items()})
        paths = [ours, *(self.path(name) for name in ("weights.pt", "wrapped.pt", "shared.pt", "strided.pt", "weights.safetensors",
                                                      "wrapped.safetensors"))]
        self.same_parameters(*[["--steps", 2, "--weights", path] for path in paths])

    def test_half_precision_weights_are_widened(self):
        weights = {name: tensor.half() for name, tensor in torch.load(self.saved("ours"), weights_only=True)["model"].items()}
        write_safetensors(self.path("half.safetensors"), weights)
        torch.save({name: tensor.float() for name, tensor in weights.items()}, self.path("float.pt"))
        self.same_parameters(["--steps", 2, "--weights", self.path("half.safetensors")],
                             ["--steps", 2, "--weights", self.path("float.pt")])

    def test_exported_weights_are_safetensors(self):
        state = torch.load(self.saved("ours", "--export-weights", self.path("out.safetensors"), world=WORLD), weights_only=True)
        tensors, metadata = read_safetensors(self.path("out.safetensors"))
        self.assertEqual(metadata, {"format": "pt"})
        self.assertEqual(set(tensors), set(state["model"]))
        for name, tensor in state["model"].items():
            self.assertTrue(torch.equal(tensors[name], tensor) and tensors[name].dtype == tensor.dtype, name)

    def test_a_network_with_buffers_opens_in_python(self):
        path = self.saved("resnet", "--model", "resnet18", "--width", 8, "--steps", 2, "--export-weights", self.path("out.safetensors"))
        state = torch.load(path, weights_only=True)
        batches = [value for name, value in state["model"].items() if name.endswith("num_batches_tracked")]
        self.assertTrue(batches and all(value.dtype == torch.int64 and value.dim() == 0 and value == 2 for value in batches))
        tensors, _ = read_safetensors(self.path("out.safetensors"))
        self.assertTrue(all(torch.equal(tensors[name], tensor) for name, tensor in state["model"].items()))


if __name__ == "__main__":
    unittest.main()
