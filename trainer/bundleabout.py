# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes bundle.toml into a bundle: what it was built for (core/bundleabout.h says what each key means).

  bundleabout.py BUNDLE SITE      SITE: the folder with torch/ and nvidia/ that it was built with
"""
import os
import platform
import re
import sys

CUDA_BYTES = 3_500_000_000  # torch 2.14's CUDA packages, unpacked
CUDA_FILES = ("lockstep-trainer", "liblockstep_cuda.so", "libstdc++.so.6", "libgcc_s.so.1")


def torch_values(site):
    with open(os.path.join(site, "torch", "version.py"), encoding="utf-8") as file:
        return dict(re.findall(r"^(\w+)(?:\s*:[^=]*)?\s*=\s*'([^']*)'", file.read(), re.MULTILINE))


def nccl_version(site):
    header = os.path.join(site, "nvidia", "nccl", "include", "nccl.h")
    if not os.path.exists(header):
        return ""
    with open(header, encoding="utf-8") as file:
        numbers = dict(re.findall(r"^#define NCCL_(MAJOR|MINOR|PATCH) (\d+)", file.read(), re.MULTILINE))
    return ".".join(numbers[part] for part in ("MAJOR", "MINOR", "PATCH"))


def newest_glibc(bundle):
    """The symbol versions that the files want stand as text in their string tables."""
    newest = (2, 0)
    for name in os.listdir(bundle):
        with open(os.path.join(bundle, name), "rb") as file:
            for match in re.finditer(rb"GLIBC_(\d+)\.(\d+)", file.read()):
                newest = max(newest, (int(match[1]), int(match[2])))
    return "%d.%d" % newest


def main():
    bundle, site = sys.argv[1:3]
    values = torch_values(site)
    version = values["__version__"]
    has_plugin = os.path.exists(os.path.join(bundle, "liblockstep_cuda.so"))
    files = [name for name in CUDA_FILES if os.path.exists(os.path.join(bundle, name))] if has_plugin else []
    lines = {
        "torch": version,
        "cuda": values.get("cuda", ""),
        "nccl": nccl_version(site),
        "glibc": newest_glibc(bundle),
        "arch": platform.machine(),
        "cuda_files": files,
        "packages": ["torch==" + version.split("+")[0]] if files else [],
        "cuda_bytes": CUDA_BYTES if files else 0,
    }
    with open(os.path.join(bundle, "bundle.toml"), "w", encoding="utf-8") as file:
        for key, value in lines.items():
            text = str(value) if isinstance(value, int) else repr(value).replace("'", '"')
            file.write(f"{key} = {text}\n")


if __name__ == "__main__":
    main()
