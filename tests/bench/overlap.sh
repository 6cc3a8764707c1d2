#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What overlapping communication with backward is worth, shown on a slow link: two ranks in network namespaces of their own,
# between them a cable slowed by tbf. DDP's buckets, each reduced as soon as it is full, against one bucket that is reduced
# when backward is over. The runs alternate; the ratio is the median of the pairs'. Needs root or user namespaces, iproute2.
#
#   tests/bench/overlap.sh build/bin/lockstep-trainer [RATE [PAIRS [option of the trainer]...]]
#   tests/bench/overlap.sh build/bin/lockstep-trainer 400mbit 5 --model cnn --batch 64
set -euo pipefail

trainer=$(realpath "$1")
rate=${2:-400mbit}
pairs=${3:-5}
shift $(($# < 3 ? $# : 3))
options=(--model cnn --batch 64)
[ $# -gt 0 ] && options=("$@")

if [ "${LOCKSTEP_OVERLAP_INSIDE:-}" != yes ]; then
  user=()
  [ "$(id -u)" = 0 ] || user=(--user --map-root-user)
  LOCKSTEP_OVERLAP_INSIDE=yes exec unshare "${user[@]}" --net --mount --pid --fork --kill-child --mount-proc \
    "$0" "$trainer" "$rate" "$pairs" "${options[@]}"
fi

mount -t tmpfs tmpfs /run
ip netns add peer
ip link add here type veth peer name there
ip link set there netns peer
ip link set lo up
ip addr add 10.77.0.1/24 dev here
ip link set here up
ip -n peer addr add 10.77.0.2/24 dev there
ip -n peer link set there up
ip -n peer link set lo up
# Both ways; the burst is one timer tick's worth at 1 Gbit/s, the queue holds what two ranks keep on their way.
tc qdisc add dev here root tbf rate "$rate" burst 128kb latency 400ms
ip netns exec peer tc qdisc add dev there root tbf rate "$rate" burst 128kb latency 400ms

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
port=29500

# Prints the median step of rank 0 in ms, the first ten left out, and what DDP's logger says.
run() {
  port=$((port + 1))
  local common=(--device cpu --threads 1 --data synthetic --synthetic-samples 20000 --steps 60 --evaluate-every 0
    --optimizer sgd "${options[@]}" "$@")
  local environment=(WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 MASTER_ADDR=10.77.0.1 MASTER_PORT=$port
    OMP_NUM_THREADS=1 GLIBC_TUNABLES=glibc.malloc.hugetlb=1 TORCH_CPP_LOG_LEVEL=ERROR)
  ip netns exec peer env "${environment[@]}" RANK=1 "$trainer" "${common[@]}" 3>/dev/null >/dev/null &
  env "${environment[@]}" RANK=0 "$trainer" "${common[@]}" 3>"$folder/records" >/dev/null
  wait $!
  awk '
    function value(key,  i) { for (i = 1; i <= NF; ++i) if (index($i, key "=") == 1) return substr($i, length(key) + 2); return "" }
    $1 == "metric" && value("steps") != "" && value("step") > 10 { print value("samples") / value("samples_per_s") / value("steps") * 1000 }
  ' "$folder/records" | sort -g | awk '{ all[NR] = $1 } END { printf "%.2f ", all[int((NR + 1) / 2)] }'
  grep -a ' ddp_overlap_ms=' "$folder/records" | tail -1 |
    sed -E 's/.* buckets=([0-9]+) .*ddp_backward_ms=([0-9.]+) ddp_communication_ms=([0-9.]+) ddp_overlap_ms=([0-9.]+).*/\1 \2 \3 \4/'
}

printf '%s at %s, ms: step | buckets backward communication overlap (of DDP'"'"'s logger)\n' "${options[*]}" "$rate"
for ((i = 1; i <= pairs; ++i)); do
  overlapped=$(run --bucket-mb 0.5 --first-bucket-mb 0.1)
  after=$(run --bucket-mb 100000 --first-bucket-mb 100000)
  printf 'while backward runs: %s   when it is over: %s\n' "$overlapped" "$after"
  echo "${after%% *} ${overlapped%% *}" | awk '{ print $1 / $2 }' >>"$folder/ratios"
done
sort -g "$folder/ratios" | awk '{ all[NR] = $1 }
  END { printf "reducing after backward takes %.2f times as long a step (%.2f to %.2f)\n", all[int((NR + 1) / 2)], all[1], all[NR] }'
