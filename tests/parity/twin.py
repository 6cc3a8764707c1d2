#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trainer's twin in Python: the same networks, data, order and optimiser with stock DistributedDataParallel and fully_shard.

Started by torchrun, or with the same environment variables as a rank of Lockstep's. Inside tests/parity/python_env.sh's
environment it needs no NVIDIA package:

    eval "$(tests/parity/python_env.sh)"
    python3 -m torch.distributed.run --nproc-per-node 2 tests/parity/twin.py --model cnn --steps 20

Its options are the trainer's, with the trainer's defaults; --stock yes takes PyTorch's own defaults for how it is done
(optimiser not fused, no bucket views). Rank 0 prints `first_step_unix_s=...` when its first step is done and
`samples_per_s=...` and `cpu_ms_per_step=...` (its own) of the steps from the fourth on at the end.
"""
import argparse
import contextlib
import json
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor
from torch.distributed.tensor._ops import _pointwise_ops
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DistributedSampler

import models
import twindata

AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}
HOOKS = {"bf16": default_hooks.bf16_compress_hook, "fp16": default_hooks.fp16_compress_hook}
BLOCKS = models.BasicBlock, models.Bottleneck, models.VitBlock, models.GptBlock  # the trainer's Blocks: FSDP's units
WARM_UP_STEPS = 3  # not measured: memory grows, and DDP makes its buckets anew
DEFAULT_BUCKETS = 25.0, 1.0  # MiB: of a bucket, of the first; DDP's own, where it has a smaller first one


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])

    def text(name, default, *choices):
        parser.add_argument("--" + name, default=default, choices=choices or None)

    def number(name, default):
        parser.add_argument("--" + name, type=type(default), default=default)

    def switch(name, default):
        parser.add_argument("--" + name, default=default, choices=("no", "yes"))

    text("model", "cnn", "mlp", "cnn", "resnet18", "resnet50", "vit", "gpt", "torchscript")
    text("model-file", "")
    for name in ("width", "depth", "heads", "patch"):
        number(name, 0)
    number("dropout", 0.0)
    text("positions", "learned", "learned", "rotary")
    text("attention", "fused", "fused", "plain")
    text("data", "fashion-mnist", "fashion-mnist", "idx", "tokens", "synthetic")
    number("synthetic-samples", 10000)  # random ones, not the trainer's: for measurements only
    number("image-size", 28)
    number("channels", 1)
    number("classes", 10)
    text("data-path", "/usr/share/datasets/fashion-mnist")
    text("token-type", "uint16", "uint16", "uint32")
    number("context", 128)
    number("vocabulary", 0)
    number("batch", 64)
    number("epochs", 1)
    number("steps", 0)
    number("seed", 0)
    switch("shuffle", "yes")
    switch("drop-last", "no")
    text("optimizer", "adamw", "sgd", "adam", "adamw")
    number("lr", 0.0)
    number("momentum", 0.9)
    switch("nesterov", "no")
    number("weight-decay", -1.0)
    number("beta1", 0.9)
    number("beta2", 0.999)
    number("epsilon", 1e-8)
    number("accumulate", 1)
    number("clip-norm", 0.0)
    number("clip-value", 0.0)
    text("precision", "fp32", "fp32", "bf16", "fp16")
    number("loss-scale", 65536.0)
    number("loss-scale-every", 2000)
    text("strategy", "ddp", "ddp", "fsdp", "single")
    number("bucket-mb", DEFAULT_BUCKETS[0])
    number("first-bucket-mb", DEFAULT_BUCKETS[1])
    switch("bucket-views", "yes")
    switch("find-unused-parameters", "no")
    switch("static-graph", "no")
    switch("broadcast-buffers", "yes")
    text("gradient-compression", "none", "none", "fp16", "bf16")
    switch("fsdp-reshard", "yes")
    switch("fsdp-bf16", "no")
    text("fsdp-accumulate", "full", "shards", "full")
    number("threads", 1)
    text("dump-parameters", "")  # raw floats to FILE.RANK, and names and sizes as JSON to FILE.RANK.names
    text("dump-gradients", "")  # of the first step, after the reduction
    # Its own:
    text("dump-buffers", "")  # in the end, as dump-parameters
    switch("stock", "no")
    text("dump-losses", "")  # every step's loss on this rank as raw doubles to FILE.RANK
    number("as-ranks", 1)  # of single: each step takes the batches of so many ranks as one
    return parser.parse_args(argv)


def seed_step(options, rank, step):
    """What the trainer's startup.cpp draws from in a step (splitmix64)."""
    low = (1 << 64) - 1
    z = (options.seed * 0x9E3779B97F4A7C15 + (rank << 40) + step + 1) & low
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & low
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & low
    torch.default_generator.manual_seed(z ^ (z >> 31))


def make_optimizer(options, parameters):
    lr = options.lr or (0.01 if options.optimizer == "sgd" else 0.001)
    decay = options.weight_decay if options.weight_decay >= 0 else 0.01 if options.optimizer == "adamw" else 0.0
    fused = None if options.stock == "yes" else True
    if options.optimizer == "sgd":
        return torch.optim.SGD(parameters, lr=lr, momentum=options.momentum, weight_decay=decay,
                               nesterov=options.nesterov == "yes", fused=fused)
    kind = torch.optim.Adam if options.optimizer == "adam" else torch.optim.AdamW
    return kind(parameters, lr=lr, betas=(options.beta1, options.beta2), eps=options.epsilon, weight_decay=decay, fused=fused)


def make_model(options, data):
    if options.model == "torchscript":
        return torch.jit.load(options.model_file)
    given = {"mlp": ("width", "depth", "dropout"), "cnn": ("width", "depth", "dropout"), "resnet18": ("width", "depth"),
             "resnet50": ("width", "depth"), "vit": ("width", "depth", "heads", "patch", "dropout", "attention"),
             "gpt": ("width", "depth", "heads", "dropout", "positions", "attention")}[options.model]
    return models.make(options.model, data.shape, **{name: getattr(options, name) for name in given})


def make_ddp(options, model):
    buckets = options.bucket_mb, options.first_bucket_mb
    if buckets != DEFAULT_BUCKETS and buckets[0] != buckets[1]:
        raise SystemExit("DDP has no first bucket of its own size unless both are the default")
    parallel = DistributedDataParallel(
        model, bucket_cap_mb=None if buckets == DEFAULT_BUCKETS else buckets[0],
        gradient_as_bucket_view=options.bucket_views == "yes" and options.stock == "no",
        find_unused_parameters=options.find_unused_parameters == "yes", static_graph=options.static_graph == "yes",
        **({} if options.broadcast_buffers == "yes" else {"broadcast_buffers": False}))  # naming it warns in new versions
    if options.gradient_compression != "none":
        parallel.register_comm_hook(None, HOOKS[options.gradient_compression])
    return parallel


# PyTorch lets fused Adam run on shards, but has forgotten fused SGD, which is as pointwise.
_pointwise_ops._register_single_dim_pointwise(torch.ops.aten._fused_sgd_.default)


def shard(options, model):
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32) if options.fsdp_bf16 == "yes" else MixedPrecisionPolicy()
    for module in model.modules():
        if isinstance(module, BLOCKS):
            fully_shard(module, mp_policy=policy, reshard_after_forward=options.fsdp_reshard == "yes")
    return fully_shard(model, mp_policy=policy)


def make_parallel(options, model):
    return {"ddp": make_ddp, "fsdp": shard, "single": lambda _, alone: alone}[options.strategy](options, model)


@contextlib.contextmanager
def later(parallel, options):
    """Gradients are summed here and reduced with the step's last forward."""
    if isinstance(parallel, DistributedDataParallel):
        with parallel.no_sync():
            yield
    elif isinstance(parallel, FSDPModule) and options.fsdp_accumulate == "full":
        parallel.set_requires_gradient_sync(False)
        yield
        parallel.set_requires_gradient_sync(True)
    else:
        yield


def whole(tensor):
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def dump(path, rank, named):
    with open(f"{path}.{rank}", "wb") as file:
        for _, tensor in named:
            file.write(whole(tensor.detach()).contiguous().numpy().tobytes())
    with open(f"{path}.{rank}.names", "w", encoding="utf-8") as file:
        json.dump([(name, tensor.numel()) for name, tensor in named], file)


def read_names(path):
    with open(path + ".names", encoding="utf-8") as file:
        return json.load(file)


class Twin:
    def __init__(self, options):
        self.options = options
        self.rank, self.world = (0, 1) if options.strategy == "single" else (dist.get_rank(), dist.get_world_size())
        self.data = twindata.load(options)
        torch.manual_seed(options.seed)
        self.model = make_model(options, self.data)
        self.parallel = make_parallel(options, self.model)
        self.parameters = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        self.optimizer = make_optimizer(options, self.parameters)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=options.loss_scale, growth_interval=options.loss_scale_every,
                                           enabled=options.precision == "fp16")
        self.losses = []

    def forward_backward(self, indices, share):
        inputs, targets = self.data.batch(indices)
        with torch.autocast("cpu", AUTOCAST[self.options.precision]) if self.options.precision in AUTOCAST else contextlib.nullcontext():
            loss = models.loss(self.parallel(inputs), targets)
        self.scaler.scale(loss if share == 1 else loss / share).backward()
        return loss.item()

    def step(self, batches):
        samples, total = sum(map(len, batches)), 0.0
        for index, indices in enumerate(batches):
            last = index == len(batches) - 1
            with contextlib.nullcontext() if last else later(self.parallel, self.options):
                total += self.forward_backward(indices, samples / len(indices)) * len(indices)
        self.losses.append(total / samples)
        options = self.options
        if options.dump_gradients and len(self.losses) == 1:
            dump(options.dump_gradients, self.rank, [(name, torch.zeros_like(parameter) if parameter.grad is None else parameter.grad)
                                                     for name, parameter in self.named_parameters()])
        if options.clip_norm or options.clip_value:
            self.scaler.unscale_(self.optimizer)
        if options.clip_norm:
            torch.nn.utils.clip_grad_norm_(self.parameters, options.clip_norm)
        if options.clip_value:
            torch.nn.utils.clip_grad_value_(self.parameters, options.clip_value)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()
        return samples

    def named_parameters(self):
        return [(name, parameter) for name, parameter in self.model.named_parameters() if parameter.requires_grad]

    def epoch(self, epoch):
        """The batches of an epoch as indices."""
        options, parts = self.options, []
        for rank in range(options.as_ranks):
            sampler = DistributedSampler(self.data, self.world * options.as_ranks, self.rank + rank, shuffle=options.shuffle == "yes",
                                         seed=options.seed, drop_last=options.drop_last == "yes")
            sampler.set_epoch(epoch)
            batches = torch.tensor(list(sampler)).split(options.batch)
            parts.append([batch for batch in batches if options.drop_last == "no" or len(batch) == options.batch])
        return [torch.cat(batches) for batches in zip(*parts)]

    def train(self):
        options = self.options
        done, start, cpu = 0, 0.0, 0.0
        for epoch in range(options.epochs):
            if options.steps and len(self.losses) == options.steps:
                break
            batches = self.epoch(epoch)
            for first in range(0, len(batches), options.accumulate):
                if options.steps and len(self.losses) == options.steps:
                    break
                seed_step(options, self.rank, len(self.losses))
                done += self.step(batches[first:first + options.accumulate])
                if len(self.losses) == 1 and self.rank == 0:
                    print(f"first_step_unix_s={time.time():.6f}", flush=True)
                if len(self.losses) == WARM_UP_STEPS:
                    done, start, cpu = 0, time.perf_counter(), time.process_time()
        if self.rank == 0 and len(self.losses) > WARM_UP_STEPS:
            print(f"samples_per_s={done * self.world / (time.perf_counter() - start):.5g}")
            print(f"cpu_ms_per_step={(time.process_time() - cpu) * 1000 / (len(self.losses) - WARM_UP_STEPS):.5g}", flush=True)

    def dump(self):
        options = self.options
        if options.dump_parameters:
            dump(options.dump_parameters, self.rank, self.named_parameters())
        if options.dump_buffers:
            dump(options.dump_buffers, self.rank, [(name, buffer.float()) for name, buffer in self.model.named_buffers()])
        if options.dump_losses:
            torch.tensor(self.losses, dtype=torch.float64).numpy().tofile(f"{options.dump_losses}.{self.rank}")


def main(argv=None):
    options = arguments(argv if argv is not None else sys.argv[1:])
    torch.set_num_threads(options.threads)
    if options.strategy != "single":
        dist.init_process_group("gloo")
    twin = Twin(options)
    twin.train()
    twin.dump()
    if options.strategy != "single":
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
