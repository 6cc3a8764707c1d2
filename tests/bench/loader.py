#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trainer's loader beside Python's DataLoader: the same data, batch and sampler, one worker each (or --workers N).

    eval "$(tests/parity/python_env.sh)" && tests/bench/loader.py build/bench/bench_loader [--pairs 7]

Data sets: Fashion-MNIST from memory (an item at a time, as every tutorial has it), windows of a
token file, and, where Pillow is installed, a folder of JPEG files. Interleaved pairs, medians with ranges: numbers of one
machine at one time, read them as ratios.
"""
import argparse
import array
import gzip
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler

FASHION = "/usr/share/datasets/fashion-mnist"
MEAN, DEVIATION = 0.2860, 0.3530
CONTEXT, TOKENS = 256, 4_000_000
PHOTOS, PHOTO_SIDE = 256, 320


def idx(name, header):
    with gzip.open(f"{FASHION}/{name}.gz") as file:
        return numpy.frombuffer(file.read(), numpy.uint8, offset=header)


class FashionMnist(Dataset):
    def __init__(self):
        self.images = torch.from_numpy(idx("train-images-idx3-ubyte", 16).reshape(-1, 1, 28, 28).copy())
        self.labels = torch.from_numpy(idx("train-labels-idx1-ubyte", 8).astype(numpy.int64))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index].float().div(255).sub(MEAN).div(DEVIATION), self.labels[index]


class Windows(Dataset):
    def __init__(self, path):
        self.tokens = numpy.memmap(path, numpy.uint16, "r")

    def __len__(self):
        return (len(self.tokens) - 1) // CONTEXT

    def __getitem__(self, index):
        window = torch.from_numpy(self.tokens[index * CONTEXT:index * CONTEXT + CONTEXT + 1].astype(numpy.int64))
        return window[:-1], window[1:]


class Photos(Dataset):
    def __init__(self, folder):
        self.files = sorted(f"{folder}/train/a/{name}" for name in os.listdir(f"{folder}/train/a"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        from PIL import Image
        image = Image.open(self.files[index]).convert("RGB")
        side = min(image.size) * 224 / 256
        left, top = (image.width - side) / 2, (image.height - side) / 2
        image = image.resize((224, 224), Image.BILINEAR, box=(left, top, left + side, top + side))
        pixels = torch.from_numpy(numpy.array(image)).permute(2, 0, 1).float().div(255)
        mean, deviation = (torch.tensor(v).view(3, 1, 1) for v in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
        return (pixels - mean) / deviation, 0


def made_tokens(folder):
    path = f"{folder}/train.bin"
    with open(path, "wb") as file:
        array.array("H", random.Random(1).choices(range(50000), k=TOKENS)).tofile(file)
    return path


def made_photos(folder):
    from PIL import Image
    os.makedirs(f"{folder}/train/a")
    rough = numpy.random.RandomState(1)
    for i in range(PHOTOS):
        small = Image.fromarray(rough.randint(0, 255, (20, 20, 3), numpy.uint8))
        small.resize((PHOTO_SIDE * 4 // 3, PHOTO_SIDE), Image.BICUBIC).save(f"{folder}/train/a/{i:04}.jpg", quality=90)
    return folder


def python_rate(dataset, options, epochs):
    sampler = DistributedSampler(dataset, 1, 0)
    loader = DataLoader(dataset, options.batch, sampler=sampler, num_workers=options.workers,
                        persistent_workers=options.workers > 0)
    samples = 0
    for epoch in range(epochs + 1):
        if epoch == 1:
            start, samples = time.perf_counter(), 0
        sampler.set_epoch(epoch)
        for inputs, _ in loader:
            samples += len(inputs)
    return samples / (time.perf_counter() - start)


def own_rate(program, arguments, options, epochs):
    said = subprocess.run([program, str(epochs), *arguments, "--batch", str(options.batch), "--workers", str(options.workers)],
                          check=True, capture_output=True, text=True).stdout
    return float(re.search(r"samples_per_s=(\d+)", said).group(1))


def compare(name, dataset, arguments, options, epochs):
    pairs = []
    for i in range(options.pairs):
        own = own_rate(options.program, arguments, options, epochs) if i % 2 == 0 else None
        other = python_rate(dataset, options, max(1, epochs // 4))
        pairs.append((own or own_rate(options.program, arguments, options, epochs), other))
    ratios = [own / other for own, other in pairs]
    own, other = (statistics.median(column) for column in zip(*pairs))
    print(f"{name:14} {own:10.0f} samples/s, Python's {other:8.0f}: {statistics.median(ratios):.2f} × "
          f"({min(ratios):.2f} to {max(ratios):.2f})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--batch", type=int, default=64)
    options = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        compare("fashion-mnist", FashionMnist(), ["--data", "fashion-mnist"], options, 4)
        tokens = made_tokens(folder)
        compare("tokens", Windows(tokens), ["--data", "tokens", "--data-path", folder, "--context", str(CONTEXT)], options, 4)
        try:
            photos = made_photos(f"{folder}/photos")
        except ImportError:
            print("images: left out, Pillow is not installed", file=sys.stderr)
            return
        compare("images", Photos(photos), ["--data", "images", "--data-path", photos], options, 1)


if __name__ == "__main__":
    main()
