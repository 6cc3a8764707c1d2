#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A cluster of real hosts on this machine, out of namespaces: each host has its own network, host name, process ids, sshd
# with its own key, /home, /root, /tmp, /var/tmp, /dev/shm and /etc. As root, or as anybody through a user namespace.
#
#   testcluster.sh run N PROGRAM...   brings up N hosts (n1 ... nN), runs PROGRAM beside them, takes all down again
# and, from within PROGRAM:
#   testcluster.sh exec HOST CMD...   as root on that host
#   testcluster.sh cut HOST...        every packet to and from them is dropped, silently; sockets stay open
#   testcluster.sh deaf|mute|lossy HOST...   what comes to them is dropped; what they send; 10 % both ways
#   testcluster.sh heal HOST...       of all of these
#   testcluster.sh freeze|thaw HOST   its sshd, with all connections, does nothing
#   testcluster.sh power HOST         it loses power: no last word, and the cable is dead
#   testcluster.sh crash HOST         the host is gone, at once
#
# PROGRAM finds in $LOCKSTEP_CLUSTER: ssh_config (aliases n1 ..., user trainer), id (key), known_hosts, hosts (one name a
# line). Hosts are 10.77.1.I and fd77::1:I, PROGRAM's side is 10.77.0.1. Users: root, trainer (bash), dasher (dash), all with the
# key. More lines for a host's sshd: write /etc/ssh/extra.conf there and `kill -HUP 1`.
#
# All of it lives in namespaces whose first process is this script: when that ends, for whatever reason, the kernel ends
# every host, mount and interface. The folder is removed by the trap.
set -euo pipefail
self=$(readlink -f "$0")
net4=10.77 net6=fd77
users="trainer:2077:/bin/bash dasher:2078:/bin/dash"

# Outside: into namespaces of our own. TERM reaches the inner script even if this process is killed with -9.
enter() {
  local user=()
  if [ "$(id -u)" != 0 ]; then
    user=(-U --map-auto --map-root-user)
    export LOCKSTEP_CLUSTER_OVERLAY=,userxattr
  fi
  exec unshare "${user[@]}" --net --mount --pid --fork --kill-child=TERM --mount-proc "$self" inside "$@"
}

overlay_etc() { # $1: what lies over the machine's own /etc. Not bind mounts: those vanish when a real file is replaced.
  mkdir -p /run/etc/work
  cp -a "$1" /run/etc/upper
  mount -t overlay overlay -o "lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work${LOCKSTEP_CLUSTER_OVERLAY:-}" /etc
}

make_network() { # a switch, this side, and a cable for each host
  local i
  mount -t tmpfs -o mode=0755 tmpfs /run
  { echo "netns add switch"; echo "netns add here"; for ((i = 1; i <= $1; i++)); do echo "netns add n$i"; done; } | ip -batch -
  {
    echo "link set lo up"
    # Without mcast_snooping 0 IPv6 neighbours are not found.
    echo "link add bridge type bridge forward_delay 0 mcast_snooping 0"
    echo "link set bridge up"
    echo "link add here type veth peer name eth0 netns here"
    echo "link set here master bridge up"
    for ((i = 1; i <= $1; i++)); do
      echo "link add n$i type veth peer name eth0 netns n$i"
      echo "link set n$i master bridge up"
    done
  } | ip -n switch -batch -
  interface here "$net4.0.1" "$net6::1"
  for ((i = 1; i <= $1; i++)); do interface "n$i" "$net4.1.$i" "$net6::1:$(printf %x "$i")"; done
  nsenter --net=/run/netns/switch nft -f - <<'RULES'
table bridge cable {
  set cut { type ifname; }
  set deaf { type ifname; }
  set mute { type ifname; }
  set lossy { type ifname; }
  chain forward {
    type filter hook forward priority 0; policy accept;
    iifname @cut drop
    oifname @cut drop
    oifname @deaf drop
    iifname @mute drop
    iifname @lossy numgen random mod 100 < 10 drop
    oifname @lossy numgen random mod 100 < 10 drop
  }
}
RULES
}

interface() { # namespace, IPv4, IPv6
  ip -n "$1" -batch - <<COMMANDS
link set lo up
addr add $2/16 dev eth0
addr add $3/64 dev eth0 nodad
link set eth0 up
COMMANDS
}

let_in() { # whoever has the cluster's key, into a home
  mkdir -p "$1/.ssh"
  cp "$LOCKSTEP_CLUSTER/id.pub" "$1/.ssh/authorized_keys"
  chmod 700 "$1" "$1/.ssh"
}

make_files() {
  local dir=$LOCKSTEP_CLUSTER i entry name id shell key
  ssh-keygen -q -t ed25519 -N '' -C lockstep-test -f "$dir/id"
  mkdir -p "$dir/here/etc"
  { echo "127.0.0.1 localhost"; echo "::1 localhost"; for ((i = 1; i <= $1; i++)); do echo "$net4.1.$i n$i"; done; } >"$dir/names"
  # One name whose IPv6 address nobody has.
  { cat "$dir/names"; echo "$net6::dead half-dead"; echo "$net4.1.1 half-dead"; } >"$dir/here/etc/hosts"
  for ((i = 1; i <= $1; i++)); do
    local host=$dir/host/n$i
    mkdir -p "$host/etc/ssh" "$host/home" "$host/root" "$host/vartmp"
    chmod 1777 "$host/vartmp"
    echo "n$i" >"$host/etc/hostname"
    cp "$dir/names" "$host/etc/hosts"
    cp /etc/passwd /etc/group "$host/etc/"
    { echo 'root:*:19000:0:99999:7:::'; echo 'sshd:*:19000:0:99999:7:::'; } >"$host/etc/shadow"
    for entry in $users; do
      IFS=: read -r name id shell <<<"$entry"
      echo "$name:x:$id:$id::/home/$name:$shell" >>"$host/etc/passwd"
      echo "$name:x:$id:" >>"$host/etc/group"
      echo "$name:*:19000:0:99999:7:::" >>"$host/etc/shadow"
      let_in "$host/home/$name"
      chown -R "$id:$id" "$host/home/$name"
    done
    let_in "$host/root"
    chmod 600 "$host/etc/shadow"
    ssh-keygen -q -t ed25519 -N '' -C "n$i" -f "$host/etc/ssh/ssh_host_ed25519_key"
    : >"$host/etc/ssh/extra.conf"
    cat >"$host/etc/ssh/sshd_config" <<'CONFIG'
Include /etc/ssh/extra.conf
HostKey /etc/ssh/ssh_host_ed25519_key
UsePAM no
UseDNS no
PrintMotd no
PrintLastLog no
Subsystem sftp internal-sftp
CONFIG
    read -r key <"$host/etc/ssh/ssh_host_ed25519_key.pub"
    echo "n$i,$net4.1.$i,$net6::1:$(printf %x "$i") ${key% *}" >>"$dir/known_hosts"
    echo "n$i" >>"$dir/hosts"
    printf 'Host n%s\n  HostName %s.1.%s\n  HostKeyAlias n%s\n' "$i" "$net4" "$i" "$i" >>"$dir/ssh_config"
  done
  cat >>"$dir/ssh_config" <<CONFIG
Host *
  User trainer
  IdentityFile $dir/id
  IdentityAgent none
  IdentitiesOnly yes
  UserKnownHostsFile $dir/known_hosts
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  HashKnownHosts no
CONFIG
}

boot() { # first process of a host
  local name=$1 dir=$LOCKSTEP_CLUSTER/host/$1 pid
  read -r pid _ </proc/self/stat # as seen from outside: /proc is still the outer one
  echo "$pid" >"$dir/pid"
  hostname "$name"
  mount -t tmpfs -o mode=0755,size=64m tmpfs /run
  overlay_etc "$dir/etc"
  mkdir -p /run/sshd
  mount -t tmpfs -o mode=1777,size=2g tmpfs /dev/shm
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts /dev/pts
  mount -t sysfs sysfs /sys 2>/dev/null || true
  mount -t proc proc /proc
  mount --bind "$dir/home" /home
  mount --bind "$dir/vartmp" /var/tmp
  mount --bind "$dir/root" /root
  mount -t tmpfs -o mode=1777,size=512m tmpfs /tmp # last: the cluster's folder may lie under /tmp
  # No variable of the machine that runs the tests is a variable of a host.
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /usr/sbin/sshd -D -e </dev/null >/run/sshd.log 2>&1
}

inside() {
  local count=$1 i program status=0
  shift
  LOCKSTEP_CLUSTER=$(mktemp -d "${TMPDIR:-/tmp}/lockstep-cluster.XXXXXX")
  export LOCKSTEP_CLUSTER
  chmod 755 "$LOCKSTEP_CLUSTER"
  trap take_down EXIT
  trap 'exit 143' TERM INT HUP
  make_network "$count"
  make_files "$count"
  overlay_etc "$LOCKSTEP_CLUSTER/here/etc"
  for ((i = 1; i <= count; i++)); do
    nsenter --net="/run/netns/n$i" unshare --mount --uts --ipc --pid --fork --kill-child "$self" boot "n$i" \
      </dev/null >"$LOCKSTEP_CLUSTER/host/n$i/boot.log" 2>&1 &
    echo $! >"$LOCKSTEP_CLUSTER/host/n$i/outer"
    disown # its end is no news
  done
  nsenter --net=/run/netns/here bash -c "$(declare -f wait_for_hosts); wait_for_hosts $count $net4"
  nsenter --net=/run/netns/here "$@" <&0 &
  program=$!
  wait "$program" || status=$?
  exit "$status"
}

wait_for_hosts() { # until every sshd shows its banner; up to a minute on a busy machine
  local i line deadline=$((SECONDS + 60))
  for ((i = 1; i <= $1; i++)); do
    until { exec 3<>"/dev/tcp/$2.1.$i/22" && read -r -t 5 line <&3; } 2>/dev/null; do
      if ((SECONDS > deadline)); then
        echo "host n$i did not come up: $(cat "$LOCKSTEP_CLUSTER/host/n$i/boot.log")" >&2
        exit 1
      fi
      sleep 0.02
    done
    exec 3>&-
  done
}

take_down() {
  local file
  for file in "$LOCKSTEP_CLUSTER"/host/*/outer; do
    kill -KILL "$(cat "$file")" 2>/dev/null || true
  done
  rm -rf "$LOCKSTEP_CLUSTER"
}

host_pid() { cat "$LOCKSTEP_CLUSTER/host/$1/pid"; }
cable() { # add or delete, fault, hosts
  local hosts
  hosts=$(printf '"%s",' "${@:3}")
  nsenter --net=/run/netns/switch nft "$1" element bridge cable "$2" "{ ${hosts%,} }"
}
heal() {
  local fault host
  for fault in cut deaf mute lossy; do
    cable delete "$fault" "$@" 2>/dev/null && continue
    for host; do
      cable delete "$fault" "$host" 2>/dev/null || true # it has not all of them
    done
  done
}
signal_sshd() { # first the connections: a stop sent from inside does not reach the first process of a host
  nsenter -t "$(host_pid "$2")" --mount --pid -- pkill "-$1" sshd || true
  kill "-$1" "$(host_pid "$2")"
}

case ${1:-} in
run) shift && enter "$@" ;;
inside) shift && inside "$@" ;;
boot) boot "$2" ;;
exec)
  host=$2
  shift 2
  exec nsenter -t "$(host_pid "$host")" --mount --uts --ipc --net --pid -- "$@"
  ;;
cut | deaf | mute | lossy) cable add "$@" ;;
heal) heal "${@:2}" ;;
freeze) signal_sshd STOP "$2" ;;
thaw) signal_sshd CONT "$2" ;;
crash) kill -KILL "$(host_pid "$2")" ;;
power) cable add cut "$2" && kill -KILL "$(host_pid "$2")" ;;
*)
  sed -n '3,21s/^# \{0,1\}//p' "$self"
  exit 2
  ;;
esac
