# SPDX-License-Identifier: GPL-3.0-or-later
"""The data sets of the trainer, read for its Python twin: the same samples in the same order with the same bits."""
import gzip
import os

import numpy
import torch

import models

FASHION_MNIST = 0.2860, 0.3530  # mean and deviation of its training images, as every published recipe has them
TEST_SHARE = 10  # one token in so many, at the end of a file that is alone, is for testing


class Images:
    """All images as normalised floats in memory."""

    def __init__(self, pixels, labels, statistics):
        mean, deviation = (torch.tensor(value, dtype=torch.float32) for value in statistics)
        self.inputs = torch.from_numpy(pixels).float().div_(255).sub_(mean).div_(deviation)
        self.targets = torch.from_numpy(labels.astype(numpy.int64))
        self.channels, self.height, self.width = pixels.shape[1:]
        self.classes = int(self.targets.max()) + 1
        self.shape = models.Shape(self.channels, self.height, self.width, self.classes)

    def __len__(self):
        return len(self.targets)

    def batch(self, indices):
        return self.inputs.index_select(0, indices), self.targets.index_select(0, indices)


class Tokens:
    """Sample i is the tokens from i * context on; its targets are the same, one later."""

    def __init__(self, ids, context, vocabulary):
        self.ids = torch.from_numpy(ids.astype(numpy.int64))
        self.context, self.vocabulary = context, vocabulary
        self.offsets = torch.arange(context)
        self.shape = models.Shape(classes=self.vocabulary, context=context)

    def __len__(self):
        return (len(self.ids) - 1) // self.context

    def batch(self, indices):
        positions = indices[:, None] * self.context + self.offsets
        return self.ids[positions], self.ids[positions + 1]


def _idx(folder, name, header):
    path = os.path.join(folder, name)
    opener = open if os.path.exists(path) else gzip.open
    with opener(path if os.path.exists(path) else path + ".gz", "rb") as file:
        data = file.read()
    sizes = numpy.frombuffer(data, ">u4", count=header // 4 - 1, offset=4)
    return numpy.frombuffer(data, numpy.uint8, offset=header).reshape(sizes).copy()


def _statistics(pixels):
    """Mean and deviation of pixel / 255, summed in doubles over the histogram, value by value."""
    total = squares = 0.0
    for value, count in enumerate(numpy.bincount(pixels.ravel(), minlength=256).tolist()):
        total += value / 255 * count
        squares += value / 255 * (value / 255) * count
    mean = total / pixels.size
    deviation = numpy.sqrt(max(0.0, squares / pixels.size - mean * mean))
    return mean, deviation if deviation > 0 else 1.0


def load(options):
    if options.data in ("fashion-mnist", "idx"):
        pixels = _idx(options.data_path, "train-images-idx3-ubyte", 16)[:, None]
        labels = _idx(options.data_path, "train-labels-idx1-ubyte", 8)
        return Images(pixels, labels, FASHION_MNIST if options.data == "fashion-mnist" else _statistics(pixels))
    if options.data == "tokens":
        folder = os.path.isdir(options.data_path)
        path = os.path.join(options.data_path, "train.bin") if folder else options.data_path
        ids = numpy.fromfile(path, {"uint16": "<u2", "uint32": "<u4"}[options.token_type])
        vocabulary = options.vocabulary or int(ids.max()) + 1
        return Tokens(ids if folder else ids[:len(ids) - len(ids) // TEST_SHARE], options.context, vocabulary)
    if options.data == "synthetic":
        random = numpy.random.RandomState(options.seed)
        pixels = random.randint(0, 256, (options.synthetic_samples, options.channels, options.image_size, options.image_size))
        return Images(pixels.astype(numpy.uint8), numpy.arange(len(pixels)) % options.classes, (0.5, 0.25))
    raise SystemExit(f"the twin does not read --data {options.data}")
