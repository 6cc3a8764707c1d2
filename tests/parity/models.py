# SPDX-License-Identifier: GPL-3.0-or-later
"""The trainer's networks in Python: the same modules under the same names, made in the same order, so that one seed gives the
same initial weights, and the same operators in forward, so that it gives the same bits. Written from trainer/models/*.cpp's
contract, not from its code.

    make("resnet18", Shape(channels=3, height=32, width=32, classes=10), width=16)
"""
import math
from typing import NamedTuple

import torch
import torch.nn.functional as functional
from torch import nn


class Shape(NamedTuple):
    """What a data set's samples look like; the trainer's SampleShape. classes: of images, or the vocabulary."""
    channels: int = 1
    height: int = 28
    width: int = 28
    classes: int = 10
    context: int = 0


def attend(q, k, v, form, causal, dropout, training):
    p = dropout if training else 0.0
    if form == "fused":
        return functional.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=causal)
    weights = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(q.size(-1)))
    if causal:
        later = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool, device=q.device).triu(1)
        weights = weights.masked_fill(later, float("-inf"))
    return functional.dropout(functional.softmax(weights, dim=-1), p, p > 0) @ v


class Mlp(nn.Module):
    def __init__(self, shape, width=0, depth=0, dropout=0.0):
        super().__init__()
        width, self.depth, self.dropout = width or 256, depth or 2, dropout
        widths = [width] * self.depth
        if self.depth > 1:
            widths[-1] = max(1, width // 2)
        sizes = [shape.channels * shape.height * shape.width, *widths, shape.classes]
        for i in range(self.depth + 1):
            setattr(self, f"fc{i + 1}", nn.Linear(sizes[i], sizes[i + 1]))

    def forward(self, images):
        x = images.flatten(1)
        for i in range(self.depth):
            x = functional.dropout(torch.relu(getattr(self, f"fc{i + 1}")(x)), self.dropout, self.training)
        return getattr(self, f"fc{self.depth + 1}")(x)


class Cnn(nn.Module):
    def __init__(self, shape, width=0, depth=0, dropout=0.0):
        super().__init__()
        width, self.depth, self.dropout = width or 32, depth or 2, dropout
        channels = shape.channels
        for i in range(self.depth):
            setattr(self, f"conv{i + 1}", nn.Conv2d(channels, width << i, 3, padding=1))
            channels = width << i
        self.fc1 = nn.Linear(channels * (shape.height >> self.depth) * (shape.width >> self.depth), 4 * width)
        self.fc2 = nn.Linear(4 * width, shape.classes)

    def forward(self, images):
        x = images
        for i in range(self.depth):
            x = functional.max_pool2d(torch.relu(getattr(self, f"conv{i + 1}")(x)), 2)
        x = functional.dropout(torch.relu(self.fc1(x.flatten(1))), self.dropout, self.training)
        return self.fc2(x)


def convolution(channels, out, kernel, stride=1):
    return nn.Conv2d(channels, out, kernel, stride, kernel // 2, bias=False)


class BasicBlock(nn.Module):
    """As torchvision.models.resnet.BasicBlock."""
    expansion = 1

    def __init__(self, channels, width, stride, downsample):
        super().__init__()
        self.conv1 = convolution(channels, width, 3, stride)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = convolution(width, width, 3)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = downsample

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class Bottleneck(nn.Module):
    """As torchvision.models.resnet.Bottleneck: the stride is the 3×3 convolution's."""
    expansion = 4

    def __init__(self, channels, width, stride, downsample):
        super().__init__()
        self.conv1 = convolution(channels, width, 1)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = convolution(width, width, 3, stride)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = convolution(width, width * self.expansion, 1)
        self.bn3 = nn.BatchNorm2d(width * self.expansion)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class Resnet(nn.Module):
    """As torchvision.models.resnet.ResNet, but for the stem of images of up to 32 pixels a side."""

    def __init__(self, shape, block, depths, width=0, depth=0):
        super().__init__()
        width = width or 64
        self.small, self.channels = max(shape.height, shape.width) <= 32, width
        self.conv1 = convolution(shape.channels, width, 3) if self.small else convolution(shape.channels, width, 7, 2)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        for i, standard in enumerate(depths):
            setattr(self, f"layer{i + 1}", self.stage(block, width << i, depth or standard, 1 if i == 0 else 2))
        self.fc = nn.Linear(self.channels, shape.classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def stage(self, block, width, depth, stride):
        blocks, out = [], width * block.expansion
        for i in range(depth):
            step, downsample = stride if i == 0 else 1, None
            if step != 1 or self.channels != out:
                downsample = nn.Sequential(convolution(self.channels, out, 1, step), nn.BatchNorm2d(out))
            blocks.append(block(self.channels, width, step, downsample))
            self.channels = out
        return nn.Sequential(*blocks)

    def forward(self, images):
        x = self.relu(self.bn1(self.conv1(images)))
        if not self.small:
            x = functional.max_pool2d(x, 3, 2, 1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(functional.adaptive_avg_pool2d(x, (1, 1)).flatten(1))


class VitAttention(nn.Module):
    def __init__(self, width, heads, dropout, attention):
        super().__init__()
        self.heads, self.dropout, self.form = heads, dropout, attention
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        n, tokens, width = x.shape
        q, k, v = self.qkv(x).reshape(n, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        y = attend(q, k, v, self.form, False, self.dropout, self.training)
        return functional.dropout(self.proj(y.transpose(1, 2).reshape(n, tokens, width)), self.dropout, self.training)


class VitMlp(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.dropout = dropout
        self.fc1 = nn.Linear(width, 4 * width)
        self.fc2 = nn.Linear(4 * width, width)

    def forward(self, x):
        x = functional.dropout(functional.gelu(self.fc1(x)), self.dropout, self.training)
        return functional.dropout(self.fc2(x), self.dropout, self.training)


class VitBlock(nn.Module):
    def __init__(self, width, heads, dropout, attention):
        super().__init__()
        self.norm1 = nn.LayerNorm(width, eps=1e-6)
        self.attn = VitAttention(width, heads, dropout, attention)
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = VitMlp(width, dropout)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class PatchEmbedding(nn.Module):
    def __init__(self, channels, width, patch):
        super().__init__()
        self.proj = nn.Conv2d(channels, width, patch, patch)

    def forward(self, images):
        return self.proj(images).flatten(2).transpose(1, 2)


def patch_for(shape):
    for patch in (16, 8, 4, 2):
        if shape.height % patch == 0 and shape.width % patch == 0 and min(shape.height, shape.width) // patch >= 7:
            return patch
    return 1


class Vit(nn.Module):
    """timm's VisionTransformer: names, initial weights, pre-norm, class token."""

    def __init__(self, shape, width=0, depth=0, heads=0, patch=0, dropout=0.0, attention="fused"):
        super().__init__()
        width, depth, patch = width or 192, depth or 12, patch or patch_for(shape)
        heads, self.dropout = heads or max(1, width // 64), dropout
        patches = (shape.height // patch) * (shape.width // patch)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, width))
        self.pos_embed = nn.Parameter(torch.zeros(1, patches + 1, width))
        self.patch_embed = PatchEmbedding(shape.channels, width, patch)
        self.blocks = nn.ModuleList(VitBlock(width, heads, dropout, attention) for _ in range(depth))
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.head = nn.Linear(width, shape.classes)
        nn.init.normal_(self.pos_embed, std=0.02)
        nn.init.normal_(self.cls_token, std=1e-6)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=0.02)
                nn.init.zeros_(module.bias)

    def forward(self, images):
        x = self.patch_embed(images)
        x = torch.cat((self.cls_token.expand(x.size(0), -1, -1), x), dim=1)
        x = functional.dropout(x + self.pos_embed, self.dropout, self.training)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


def rotary_tables(tokens, head, device):
    frequencies = 10000.0 ** (torch.arange(0, head, 2, dtype=torch.float, device=device) / -float(head))
    half = torch.outer(torch.arange(tokens, dtype=torch.float, device=device), frequencies)
    angles = torch.cat((half, half), dim=-1)
    return angles.cos(), angles.sin()


def rotated(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return (x * cos + torch.cat((-second, first), dim=-1) * sin).to(x.dtype)


class GptAttention(nn.Module):
    def __init__(self, width, heads, dropout, attention):
        super().__init__()
        self.heads, self.dropout, self.form = heads, dropout, attention
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)

    def forward(self, x, turn):
        n, tokens, width = x.shape
        q, k, v = (part.view(n, tokens, self.heads, -1).transpose(1, 2) for part in self.c_attn(x).split(width, dim=2))
        if turn:
            q, k = rotated(q, *turn), rotated(k, *turn)
        y = attend(q, k, v, self.form, True, self.dropout, self.training)
        y = self.c_proj(y.transpose(1, 2).contiguous().view(n, tokens, width))
        return functional.dropout(y, self.dropout, self.training)


class GptMlp(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.dropout = dropout
        self.c_fc = nn.Linear(width, 4 * width)
        self.c_proj = nn.Linear(4 * width, width)

    def forward(self, x):
        return functional.dropout(self.c_proj(functional.gelu(self.c_fc(x))), self.dropout, self.training)


class GptBlock(nn.Module):
    def __init__(self, width, heads, dropout, attention):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.attn = GptAttention(width, heads, dropout, attention)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = GptMlp(width, dropout)

    def forward(self, x, *turn):
        x = x + self.attn(self.ln_1(x), turn)
        return x + self.mlp(self.ln_2(x))


class Gpt(nn.Module):
    """nanoGPT's GPT, its head not tied to the embeddings."""

    def __init__(self, shape, width=0, depth=0, heads=0, dropout=0.0, positions="learned", attention="fused"):
        super().__init__()
        width, depth = width or 256, depth or 6
        self.heads, self.width = heads or max(1, width // 32), width
        self.dropout, self.positions = dropout, positions
        self.transformer = nn.ModuleDict()
        self.transformer["wte"] = nn.Embedding(shape.classes, width)
        if positions == "learned":
            self.transformer["wpe"] = nn.Embedding(shape.context, width)
        self.transformer["h"] = nn.ModuleList(GptBlock(width, self.heads, dropout, attention) for _ in range(depth))
        self.transformer["ln_f"] = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, shape.classes, bias=False)
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=0.02)
                if getattr(module, "bias", None) is not None:
                    nn.init.zeros_(module.bias)
        for name, parameter in self.named_parameters():
            if name.endswith("c_proj.weight"):
                nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * depth))

    def forward(self, tokens):
        parts, turn = self.transformer, ()
        x = parts["wte"](tokens)
        if self.positions == "learned":
            x = x + parts["wpe"](torch.arange(tokens.size(1), device=tokens.device))
        else:
            turn = rotary_tables(tokens.size(1), self.width // self.heads, tokens.device)
        x = functional.dropout(x, self.dropout, self.training)
        for block in parts["h"]:
            x = block(x, *turn)
        return self.lm_head(parts["ln_f"](x))


def loss(scores, targets):
    """The trainer's Model::loss: the mean over samples, or over tokens."""
    return functional.cross_entropy(scores.flatten(0, -2), targets.flatten())


def make(name, shape=Shape(), **options):
    """The network of `--model name`; options are the trainer's: width, depth, heads, patch, dropout, positions, attention."""
    if name == "resnet18":
        return Resnet(shape, BasicBlock, (2, 2, 2, 2), **options)
    if name == "resnet50":
        return Resnet(shape, Bottleneck, (3, 4, 6, 3), **options)
    return {"mlp": Mlp, "cnn": Cnn, "vit": Vit, "gpt": Gpt}[name](shape, **options)
