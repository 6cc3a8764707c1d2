#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A Python that can `import torch` from the wheel the trainer is built with, on a machine without a GPU: the few pure packages
# torch imports, and one generated stand-in for the NVIDIA libraries it must load. Made once, beside the wheel; later calls
# only print what to export:
#
#   eval "$(tests/parity/python_env.sh)" && python3 -c 'import torch'
#
# TORCH_SITE or LOCKSTEP_TORCH_SITE names the wheel's folder, LOCKSTEP_PYTHON the interpreter (python3).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/lockstep-sdk
site=${TORCH_SITE:-${LOCKSTEP_TORCH_SITE:-$cache/torch-2.14.1}}
python=${LOCKSTEP_PYTHON:-python3}
tag=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
env_dir=$(dirname "$site")/python-$(basename "$site" | sed 's/^torch-//')-py$tag
packages="filelock typing-extensions sympy networkx jinja2 fsspec setuptools numpy markupsafe mpmath"

if [ -e /dev/nvidia0 ]; then
    echo "python_env.sh: this machine has an NVIDIA GPU; use its own Python, stand-ins would hide the GPU" >&2
    exit 1
fi
if [ ! -d "$site/torch/lib" ]; then
    echo "python_env.sh: no torch wheel under $site" >&2
    exit 1
fi
if [ ! -e "$env_dir/complete" ]; then
    scratch=$env_dir.new.$$
    rm -rf "$scratch"
    mkdir -p "$scratch/packages" "$scratch/standins"
    # shellcheck disable=SC2086
    "$python" -m pip install --quiet --no-deps --no-compile --disable-pip-version-check --root-user-action ignore \
        --target "$scratch/packages" $packages >&2
    "$python" "$here/../../trainer/standin/make_standins.py" "$scratch/standins" "$site"/torch/lib/*.so* >&2
    : >"$scratch/complete"
    rm -rf "$env_dir"
    mv "$scratch" "$env_dir" 2>/dev/null || rm -rf "$scratch" # somebody else was first
fi
printf 'export PYTHONPATH=%s:%s\n' "$env_dir/packages" "$site"
printf 'export LD_LIBRARY_PATH=%s\n' "$env_dir/standins"
printf 'export PYTHONPYCACHEPREFIX=%s\n' "$env_dir/bytecode" # the wheel has none, and compiling torch's sources takes seconds
