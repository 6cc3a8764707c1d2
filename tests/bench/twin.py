#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trainer's twin in Python: the same networks, data, order and optimiser with stock DistributedDataParallel.

Started by torchrun or with the same environment variables as a rank of Lockstep's. Inside tests/trainer/python_env.sh's
environment it needs no NVIDIA package:

    eval "$(tests/trainer/python_env.sh)"
    python3 -m torch.distributed.run --nproc-per-node 2 tests/bench/twin.py --model cnn --steps 20

Rank 0 prints `first_step_unix_s=...` when its first step is done and `samples_per_s=...` at the end.
--tuned yes sets what the trainer has by default: the fused optimiser and gradients as bucket views.
"""
import argparse
import gzip
import os
import time

import numpy
import torch
import torch.distributed as dist
import torch.nn.functional as functional
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DistributedSampler

FASHION_MNIST_MEAN, FASHION_MNIST_DEVIATION = 0.2860, 0.3530


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 256)
        self.fc2 = nn.Linear(256, 128)
        self.fc3 = nn.Linear(128, 10)

    def forward(self, images):
        x = torch.relu(self.fc1(images.flatten(1)))
        return self.fc3(torch.relu(self.fc2(x)))


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, padding=1)
        self.conv2 = nn.Conv2d(32, 64, 3, padding=1)
        self.fc1 = nn.Linear(64 * 7 * 7, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, images):
        x = functional.max_pool2d(torch.relu(self.conv1(images)), 2)
        x = functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))


def idx(folder, name, header):
    path = os.path.join(folder, name)
    opener = open if os.path.exists(path) else gzip.open
    with opener(path if os.path.exists(path) else path + ".gz", "rb") as file:
        return numpy.frombuffer(file.read(), numpy.uint8, offset=header).copy()


def load(folder):
    images = torch.from_numpy(idx(folder, "train-images-idx3-ubyte", 16)).view(-1, 1, 28, 28)
    images = images.float().div_(255).sub_(FASHION_MNIST_MEAN).div_(FASHION_MNIST_DEVIATION)
    return images, torch.from_numpy(idx(folder, "train-labels-idx1-ubyte", 8)).long()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=("mlp", "cnn"), default="cnn")
    parser.add_argument("--optimizer", choices=("sgd", "adamw"), default="adamw")
    parser.add_argument("--data-path", default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--tuned", choices=("yes", "no"), default="no")
    parser.add_argument("--dump-parameters", default="")
    return parser.parse_args()


def main():
    options = arguments()
    torch.set_num_threads(options.threads)
    dist.init_process_group("gloo")
    images, labels = load(options.data_path)
    torch.manual_seed(options.seed)
    model = (Mlp if options.model == "mlp" else Cnn)()
    tuned = options.tuned == "yes"
    if options.optimizer == "adamw":
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2, fused=tuned or None)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9, fused=tuned or None)
    parallel = DistributedDataParallel(model, gradient_as_bucket_view=tuned)
    sampler = DistributedSampler(labels, seed=options.seed)
    samples, start, step, epoch = 0, 0.0, 0, 0
    while step < options.steps:
        sampler.set_epoch(epoch)
        mine = torch.tensor(list(sampler))
        for indices in mine.split(options.batch):
            batch, targets = images.index_select(0, indices), labels.index_select(0, indices)
            optimizer.zero_grad()
            functional.cross_entropy(parallel(batch), targets).backward()
            optimizer.step()
            step += 1
            if step == 1:
                if dist.get_rank() == 0:
                    print(f"first_step_unix_s={time.time():.6f}", flush=True)
                start = time.perf_counter()
            else:
                samples += len(indices)
            if step == options.steps:
                break
        epoch += 1
    if dist.get_rank() == 0 and samples:
        print(f"samples_per_s={samples * dist.get_world_size() / (time.perf_counter() - start):.1f}", flush=True)
    if options.dump_parameters:
        with open(f"{options.dump_parameters}.{dist.get_rank()}", "wb") as file:
            for parameter in model.parameters():
                file.write(parameter.detach().contiguous().numpy().tobytes())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
