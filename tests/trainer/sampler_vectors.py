#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Made sampler_vectors.txt: the indices of Python's own DistributedSampler, a line for each combination. Run it inside
tests/parity/python_env.sh's environment; tests/parity/test_sampler.py runs it again and compares."""
import torch
from torch.utils.data import DistributedSampler

print("# samples replicas rank shuffle drop_last seed epoch : indices   (made by sampler_vectors.py)")
for samples, replicas in ((1, 1), (1, 5), (2, 3), (3, 8), (5, 5), (10, 1), (10, 3), (11, 4), (16, 4), (23, 7), (700, 2), (997, 6)):
    for shuffle in (True, False):
        for drop_last in (False, True):
            if drop_last and samples < replicas:
                continue  # Python gives every rank nothing; refused here
            for seed, epoch in ((0, 0), (0, 5), (7, 3), (4294967290, 2), (4294967296, 0)):
                if not shuffle and seed:
                    continue
                for rank in range(replicas):
                    sampler = DistributedSampler(range(samples), replicas, rank, shuffle=shuffle, seed=seed,
                                                 drop_last=drop_last)
                    sampler.set_epoch(epoch)
                    indices = list(sampler)[:40]  # of the long ones, the start shows all there is to see
                    print(samples, replicas, rank, int(shuffle), int(drop_last), seed, epoch, ":", *indices)
