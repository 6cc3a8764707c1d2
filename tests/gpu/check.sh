#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The CUDA half of the trainer on a machine with an NVIDIA GPU and a Python with torch 2.11 to 2.15 (its wheel is what is
# built against): one rank on the GPU in every precision, checkpoint and resumption, graphs, and the throughput beside the
# same network in Python. At most 4 minutes on 16 cores; prints a table and ends with 1 when something does not hold.
#
#   tests/gpu/check.sh [BUILD_FOLDER]
#
# LOCKSTEP_GPU_CHECK=dry runs the same on the CPU, as far as it goes, to test this script; then LOCKSTEP_TRAINER may name
# a program that is built already.
set -u

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${1:-$root/build/gpu}
dry=${LOCKSTEP_GPU_CHECK:-}
python=${LOCKSTEP_PYTHON:-python3}
trainer=${LOCKSTEP_TRAINER:-$build/bin/lockstep-trainer}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

say() { printf '%-34s %s\n' "$1" "$2"; }
fail() {
    say "$1" "FAILED: $2"
    failures=$((failures + 1))
}

# build: against the torch that this machine's Python imports
if [ -z "${LOCKSTEP_TRAINER:-}" ]; then
    site=$("$python" -c 'import os, torch; print(os.path.dirname(os.path.dirname(os.path.abspath(torch.__file__))))') || exit 1
    toolkit=${CUDA_HOME:-/usr/local/cuda}/include
    set -- -S "$root/trainer" -B "$build" -DTORCH_SITE="$site"
    # Headers of the CUDA runtime: the wheel's neighbours have them, else a toolkit.
    if ! ls "$site"/nvidia/*/include/cuda_runtime_api.h >/dev/null 2>&1 && [ -e "$toolkit/cuda_runtime_api.h" ]; then
        set -- "$@" -DTorchWheel_CUDART_INCLUDE="$toolkit"
    fi
    if ! { cmake "$@" && cmake --build "$build" -j "$(nproc)" --target lockstep-trainer lockstep_cuda; } >"$scratch/build.log" 2>&1; then
        tail -n 30 "$scratch/build.log" >&2
        echo "check.sh: the trainer does not build against $site" >&2
        exit 1
    fi
fi

# run NAME OPTION...: trains, its records in $scratch/NAME.records; quick and the same for all
run() {
    name=$1
    shift
    if ! timeout 90 "$trainer" --device "$device" --data synthetic --evaluate-every 0 "$@" \
        3>"$scratch/$name.records" >"$scratch/$name.out" 2>&1; then
        fail "$name" "$(tail -n 1 "$scratch/$name.out")"
        return 1
    fi
}
# fact NAME KEY: the last value of it in NAME's records
fact() { tr ' ' '\n' <"$scratch/$1.records" | sed -n "s/^$2=//p" | tail -n 1; }
# rate NAME: the median samples/s of the second half of the records
rate() {
    tr ' ' '\n' <"$scratch/$1.records" | sed -n 's/^samples_per_s=//p' |
        awk '{ v[NR] = $1 } END { n = 0; for (i = int(NR / 2) + 1; i <= NR; ++i) s[++n] = v[i]
             for (i = 2; i <= n; ++i) for (j = i; j > 1 && s[j] < s[j - 1]; --j) { t = s[j]; s[j] = s[j - 1]; s[j - 1] = t }
             printf "%.0f", n ? s[int((n + 1) / 2)] : 0 }'
}
same() { # NAME A B: the same parameters at the end
    a=$(fact "$2" parameter_hash)
    b=$(fact "$3" parameter_hash)
    if [ -n "$a" ] && [ "$a" = "$b" ]; then say "$1" "same bits ($a)"; else fail "$1" "parameters $a and $b"; fi
}

if [ "$dry" = dry ]; then
    device=cpu steps=6 batch=4 size=32 precisions="fp32 bf16"
else
    device=cuda steps=200 batch=128 size=64 precisions="fp32 tf32 bf16 fp16"
fi
network="--model resnet18 --image-size $size --channels 3 --synthetic-samples 4096 --batch $batch --epochs 100"

# precisions
for precision in $precisions; do
    # shellcheck disable=SC2086
    run "$precision" $network --steps $steps --precision "$precision" --channels-last yes &&
        say "resnet18 $precision" "$(rate "$precision") samples/s, loss $(fact "$precision" loss), peak $(fact "$precision" memory_peak_bytes) bytes"
done
if [ "$dry" != dry ]; then
    for key in device_name device_uuid nccl nccl_transport flight_recorder; do
        value=$(fact fp32 $key)
        if [ -n "$value" ]; then say "$key" "$value"; else fail "$key" "is not said"; fi
    done
    for key in to_device_ms forward_ms backward_ms optimizer_ms; do
        value=$(fact fp32 $key)
        case $value in '' | 0 | -*) fail "$key" "is '$value'" ;; *) say "$key" "$value" ;; esac
    done
fi

# checkpoint: stopped in mid-epoch and resumed, the same bits as in one go
small="--model mlp --synthetic-samples 1000 --batch 16 --epochs 2"
# shellcheck disable=SC2086
run whole $small &&
    run first $small --steps 40 --checkpoint "$scratch/checkpoints" --checkpoint-steps 40 &&
    run second $small --resume "$scratch/checkpoints" &&
    same "resumed after 40 steps" whole second

# strategies: one rank of ddp needs no reducer, but with compression it has one, and over NCCL its collectives
# shellcheck disable=SC2086
run sharded $small --strategy fsdp && same "fsdp, one rank" whole sharded
# shellcheck disable=SC2086
run shardedbf16 $network --steps 10 --strategy fsdp --fsdp-bf16 yes --fsdp-units size --fsdp-unit-mb 4 &&
    say "fsdp, bf16, units of 4 MiB" "loss $(fact shardedbf16 loss)"
# shellcheck disable=SC2086
run reduced $small --strategy ddp --gradient-compression bf16 && say "ddp with its reducer" "$(fact reduced buckets) buckets"
# shellcheck disable=SC2086
run hooked $network --steps 10 --strategy ddp --gradient-compression fp16 --accumulate 2 --clip-norm 1 &&
    say "ddp, resnet18, accumulated" "loss $(fact hooked loss)"

# graphs
if [ "$dry" != dry ]; then
    # shellcheck disable=SC2086
    run graphs $small --cuda-graphs yes && same "cuda graphs, mlp" whole graphs
    deep="--model mlp --depth 12 --width 256 --synthetic-samples 8192 --batch 64 --epochs 100 --steps 600"
    # shellcheck disable=SC2086
    run eager $deep && run replayed $deep --cuda-graphs yes &&
        say "mlp of 12 layers, graphs" "$(rate eager) samples/s without, $(rate replayed) with"
    # shellcheck disable=SC2086
    run graphsbf16 $network --steps $steps --precision bf16 --channels-last yes --cuda-graphs yes &&
        say "resnet18 bf16, graphs" "$(rate graphsbf16) samples/s"
fi

# throughput beside Python
for precision in fp32 bf16; do
    if python_rate=$("$python" "$here/throughput.py" "$device" "$precision" "$batch" "$size" "$steps" 2>"$scratch/python.err"); then
        say "python, resnet18 $precision" "$python_rate samples/s; ours $(rate $precision)"
    else
        fail "python, resnet18 $precision" "$(tail -n 1 "$scratch/python.err")"
    fi
done

[ "$failures" -eq 0 ] && echo "all of it holds" || echo "$failures failed"
[ "$failures" -eq 0 ]
