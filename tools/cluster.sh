#!/bin/bash
# A cluster on this one machine, for the tests marked `cluster`: a login node and nodes n1, n2 ... in namespaces
# of their own (network, mounts, host name, processes), with Slurm, munge and sshd. Needs root on Linux and the
# packages slurmctld slurmd slurm-client munge openssh-server iproute2 openmpi-bin.
#
#   tools/cluster.sh up [NODES]       4 nodes unless told otherwise
#   tools/cluster.sh run NODE CMD...  a command on `login` or a node, in the present folder
#   tools/cluster.sh down             ends it all: everything lives in one tree of processes
#
# Nodes share the machine's files but not /tmp, /dev/shm and /run. Nothing of the machine's own configuration is
# touched: /etc/hosts, /etc/slurm and /etc/ssh are mounted over, inside the namespaces only. Configuration, keys
# and logs are in $ENVLOCK_CLUSTER (or /var/tmp/envlock-cluster).
set -euo pipefail
here=$(cd "$(dirname "$0")/cluster" && pwd)
export CLUSTER=${ENVLOCK_CLUSTER:-/var/tmp/envlock-cluster}
export CHECKOUT=${here%/tools/cluster}

refuse() {
  echo "no cluster on this machine: $1" >&2
  exit 3
}

inside() { # NODE CMD...: in all namespaces of a node, in the present folder
  local pid node=$1
  shift
  pid=$(cat "$CLUSTER/$node/pid" 2>/dev/null) || refuse "it is not up, see tools/cluster.sh up"
  [ "$node" = login ] || set -- nsenter --target "$pid" --all "--wd=$PWD" "$@"
  exec nsenter --target "$(cat "$CLUSTER/login/pid")" --all "--wd=$PWD" "$@"
}

up() {
  local nodes=${1:-4} tool
  [ "$(id -u)" = 0 ] || refuse "only root can make its namespaces"
  for tool in slurmctld slurmd srun munged sshd ssh-keygen ip tc nsenter unshare; do
    command -v "$tool" >/dev/null || refuse "there is no program '$tool'"
  done
  unshare --net --uts --ipc --mount --pid --fork true 2>/dev/null || refuse "the kernel refuses namespaces"
  [ ! -e "$CLUSTER/login/pid" ] || refuse "one is up already in $CLUSTER; take it down first"
  "$here/configure.sh" "$nodes"
  NODES=$nodes unshare --net --uts --ipc --mount --pid --fork --kill-child setsid "$here/login.sh" \
    </dev/null >"$CLUSTER/login/log" 2>&1 &
  local holder=$!
  echo "$holder" >"$CLUSTER/holder"
  for _ in $(seq 300); do
    if [ -e "$CLUSTER/ready" ]; then
      pgrep -P "$holder" >"$CLUSTER/login/pid"
      echo "$nodes nodes are up; tools/cluster.sh run login sinfo"
      return
    fi
    kill -0 "$holder" 2>/dev/null || break
    sleep 0.2
  done
  tail -n 20 "$CLUSTER"/*/log >&2
  down
  refuse "it did not come up; above are its logs"
}

down() {
  if [ -e "$CLUSTER/holder" ]; then
    local holder
    holder=$(cat "$CLUSTER/holder")
    if grep -qs "$here/login.sh" "/proc/$holder/cmdline"; then
      kill -KILL "$holder"
      while kill -0 "$holder" 2>/dev/null; do sleep 0.1; done
    fi
  fi
  rm -rf "$CLUSTER"
}

case ${1:-} in
  up) up "${2:-4}" ;;
  run) shift && inside "$@" ;;
  down) down ;;
  *) sed -n '2,13s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
