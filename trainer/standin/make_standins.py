#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One stand-in library for the NVIDIA libraries that LibTorch's libraries need in order to load.

    make_standins.py [--copies] OUT LIBRARY...

Reads which NVIDIA symbols the LIBRARYs leave undefined, compiles a library in which every one of them is a function that
returns an error, and puts it into OUT under every soname they ask for: as links to one file, or as copies for a bundle, which
is sent file by file. It is for machines without a GPU only: beside a driver it would hide the GPU, so it refuses.

One file can stand for all of them: the loader checks version nodes by the name it was asked for, and this file carries the
nodes of all. Nothing of NVIDIA's is copied: the names are read from LibTorch, the bodies are ours.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

NVIDIA_SONAME = re.compile(r"lib(cu|nv|nccl)")
NVIDIA_SYMBOL = re.compile(
    r"_{0,2}(cuda[A-Z_]|cu[A-Z]|cu(blas|dnn|fft|rand|sparse|solver|File|pti)|nv(rtc|shmem|ml|Jit|tx)|p?nccl)")
CUDA_ERROR_NO_DEVICE = 100  # cudaErrorNoDevice: torch.cuda.is_available() is then False without a warning


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(library, which):
    """(name, version) pairs; version is '' where the symbol has none."""
    for line in output_of("nm", "-D", "--with-symbol-versions", which, library).splitlines():
        name, _, version = line.split()[-1].partition("@")
        yield name, version.lstrip("@")


def needed_sonames(libraries):
    own = {os.path.basename(library) for library in libraries}
    names = set()
    for library in libraries:
        names.update(re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", library)))
    return {name for name in names - own if NVIDIA_SONAME.match(name)}


def undefined_by_version(libraries, sonames):
    defined = {name for library in libraries for name, _ in symbols(library, "--defined-only")}
    versions = {}
    for library in libraries:
        for name, version in symbols(library, "--undefined-only"):
            wanted = version in sonames or (
                name not in defined and NVIDIA_SYMBOL.match(name) and not version.startswith("GLIBC"))
            if wanted:
                versions.setdefault(version, set()).add(name)
    return versions


def cudnn_version(libraries):
    """torch.backends.cudnn compares the library's version with the one the wheel was built for: its METADATA names it."""
    site = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(libraries[0]))))
    for entry in os.listdir(site) if os.path.isdir(site) else []:
        if entry.startswith("torch-") and entry.endswith(".dist-info"):
            with open(os.path.join(site, entry, "METADATA"), encoding="utf-8") as metadata:
                found = re.search(r"nvidia-cudnn-cu\d+==(\d+)\.(\d+)\.(\d+)", metadata.read())
                if found:
                    return tuple(int(part) for part in found.groups())
    return 0, 0, 0


def body(name, cudnn):
    major, minor, patch = cudnn
    if name == "cudnnGetVersion":
        return f"long {name}(void) {{ return {major * 10000 + minor * 100 + patch}; }}"
    if name == "cudnnGetProperty":
        return (f"int {name}(int what, int* value) "
                f"{{ *value = what == 0 ? {major} : what == 1 ? {minor} : {patch}; return 0; }}")
    if re.search(r"String|ErrorName|strerror", name):
        return f'const char* {name}(void) {{ return "stand-in for an NVIDIA library: no GPU support"; }}'
    return f"long {name}(void) {{ return {CUDA_ERROR_NO_DEVICE if name.startswith('cuda') else 1}; }}"


def compile_library(target, versions, cudnn):
    with tempfile.TemporaryDirectory() as scratch:
        source, script = os.path.join(scratch, "standin.c"), os.path.join(scratch, "standin.map")
        with open(source, "w", encoding="utf-8") as out:
            for name in sorted(set().union(*versions.values())):
                out.write(body(name, cudnn) + "\n")
        with open(script, "w", encoding="utf-8") as out:
            for version in sorted(filter(None, versions)):
                out.write(f"{version} {{ global: {'; '.join(sorted(versions[version]))}; }};\n")
        subprocess.run(
            ["cc", "-O1", "-w", "-fno-builtin", "-shared", "-fPIC", "-s", "-Wl,--build-id=none", "-o", target, source,
             "-Wl,-soname,liblockstep_standin.so", f"-Wl,--version-script={script}"], check=True, cwd=scratch)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--copies", action="store_true", help="a file for each soname instead of links to one")
    parser.add_argument("out")
    parser.add_argument("library", nargs="+")
    options = parser.parse_args()
    if not options.copies and os.path.exists("/dev/nvidia0"):
        sys.exit("this machine has an NVIDIA GPU: stand-ins would hide it")

    libraries = [library for library in options.library if not NVIDIA_SONAME.match(os.path.basename(library))]
    sonames = needed_sonames(libraries)
    versions = undefined_by_version(libraries, sonames)
    os.makedirs(options.out, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.out) as scratch:
        built = os.path.join(scratch, "liblockstep_standin.so")
        compile_library(built, versions, cudnn_version(libraries))
        if options.copies:
            for soname in sonames:
                shutil.copy(built, os.path.join(options.out, soname))
        else:
            os.replace(built, os.path.join(options.out, "liblockstep_standin.so"))
            for soname in sonames:
                link = os.path.join(options.out, soname)
                if os.path.lexists(link):
                    os.remove(link)
                os.symlink("liblockstep_standin.so", link)
    print(f"{sum(map(len, versions.values()))} functions stand in for {len(sonames)} libraries: {' '.join(sorted(sonames))}")


if __name__ == "__main__":
    main()
