#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""resnet18 as tests/gpu/check.sh trains it, in Python on one device: fused optimiser, channels_last, autocast.

    throughput.py cuda|cpu fp32|bf16 BATCH SIZE STEPS     prints the samples/s of the second half of the steps
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "parity"))

import torch

import models

SAMPLES = 4096


def main():
    device, precision, batch, size, steps = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
    torch.manual_seed(0)
    shape = models.Shape(channels=3, height=size, width=size, classes=10)
    model = models.make("resnet18", shape).to(device, memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    on_gpu = device == "cuda"
    images, targets = torch.randn(SAMPLES, 3, size, size), torch.randint(0, 10, (SAMPLES,))
    if on_gpu:
        images, targets = images.pin_memory(), targets.pin_memory()

    def wait():
        if on_gpu:
            torch.cuda.synchronize()

    for step in range(steps):
        if step == steps // 2:
            wait()
            start = time.perf_counter()
        at = step * batch % (SAMPLES - batch)
        x = images[at:at + batch].to(device, non_blocking=True).contiguous(memory_format=torch.channels_last)
        y = targets[at:at + batch].to(device, non_blocking=True)
        with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"):
            loss = models.loss(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    wait()
    print(f"{(steps - steps // 2) * batch / (time.perf_counter() - start):.0f}")


if __name__ == "__main__":
    main()
