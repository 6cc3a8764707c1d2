#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Puts in place what is missing, and says what: Debian packages by one apt call, LibTorch by one pip call into a cache
# that all clones share. usage: setup.sh build|test
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# The wheel's version; known to work from 2.11 to 2.15 (trainer/README.md).
torch=2.14.1
# CUDA's headers and the two libraries that libtorch_cpu.so needs to load; NCCL's header. Versions are those the wheel names.
wheels=("torch==$torch" nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85
        nvidia-nccl-cu13==2.30.7 nvidia-cuda-crt==13.0.88 nvidia-cuda-cccl==13.0.85)
site=${LOCKSTEP_TORCH_SITE:-${XDG_CACHE_HOME:-$HOME/.cache}/lockstep-sdk/torch-$torch}

say() { printf 'setup: %s\n' "$*" >&2; }

packages() { # the names of one section
    awk -v want="[$1]" '/^\[/ { on = ($0 == want); next } on && !/^#/ && NF { print $1 }' "$here/packages-debian-12"
}

install_packages() {
    if ! command -v dpkg-query >/dev/null || ! grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
        say "this is not Debian 12: the packages are yours to install (README, Other distributions)"
        return
    fi
    local wanted missing
    wanted=$(packages build; [ "$1" = test ] && packages test; true)
    missing=$(for name in $wanted; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || echo "$name"
    done)
    [ -n "$missing" ] || return 0
    # shellcheck disable=SC2086 # a list of words
    if [ "$(id -u)" != 0 ]; then
        say "these packages are missing; run this once, then again what you ran:"
        echo "sudo apt-get update && sudo apt-get install -y --no-install-recommends" $missing >&2
        exit 1
    else
        say "installing" $missing
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends $missing >&2
    fi
}

install_torch() {
    [ -e "$site/torch/lib/libtorch_cpu.so" ] && return 0
    say "LibTorch $torch by pip into $site (0.8 GB to fetch, 1.5 GB on disk, once for all clones)"
    mkdir -p "$(dirname "$site")"
    # Two clones at once: the second waits and finds it there.
    exec 9>"$site.lock"
    flock 9
    [ -e "$site/torch/lib/libtorch_cpu.so" ] && return 0
    rm -rf "$site.part"
    # The wheel's tags are named, so that any Python 3 can fetch it.
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --no-cache-dir \
        --only-binary=:all: --python-version 3.11 --implementation cp \
        --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux_2_18_x86_64 \
        --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
        --root-user-action=ignore --target "$site.part" "${wheels[@]}" >&2
    mv "$site.part" "$site"
}

case "${1:-}" in
build | test) ;;
*)
    echo "usage: setup.sh build|test" >&2
    exit 2
    ;;
esac
install_packages "$1"
install_torch
