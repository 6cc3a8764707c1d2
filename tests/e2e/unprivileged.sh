#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# unprivileged.sh PROGRAM...   runs it without root's powers over this machine: root only of a user namespace, whose
# other ids are a range of nobody's. This is what `unshare -U --map-auto --map-root-user` gives anybody whom
# /etc/subuid knows; root is often not in there, but may write the map itself. Whoever is not root needs no change.
set -euo pipefail
first=100000 count=65535
if [ "$(id -u)" != 0 ]; then
  exec "$@"
fi
# How testcluster.sh mounts its overlays in a user namespace.
export LOCKSTEP_CLUSTER_OVERLAY=,userxattr
pipes=$(mktemp -d)
trap 'rm -rf "$pipes"' EXIT
mkfifo "$pipes/there" "$pipes/mapped"
unshare -U bash -c 'echo >"$0/there"; read -r _ <"$0/mapped"; exec "$@"' "$pipes" "$@" <&0 &
child=$!
trap 'kill -TERM "$child"' TERM INT
read -r _ <"$pipes/there"
for map in uid_map gid_map; do # cat, for a map must come in one write
  cat <<<"0 0 1"$'\n'"1 $first $count" >"/proc/$child/$map"
done
echo >"$pipes/mapped"
wait "$child"
