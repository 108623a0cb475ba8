#!/bin/bash
# Called by tools/cluster.sh as the first process of the login node's namespaces: bridge, munge, Slurm's
# controller, and the nodes as its children. It ends when it is killed, and all that it started ends with it.
set -euo pipefail
here=$(dirname "$0")
NODE=login
. "$here/surroundings.sh"

ip link add bridge type bridge
ip addr add 10.77.0.254/24 dev bridge
ip link set bridge up

start_munge
slurmctld -D &

for k in $(seq "$NODES"); do
  unshare --net --uts --ipc --mount --pid --fork --kill-child "$here/node.sh" "n$k" "$k" \
    >"$CLUSTER/n$k/log" 2>&1 &
  holder=$!
  while ! pgrep -P "$holder" >"$CLUSTER/n$k/pid"; do sleep 0.05; done
  ip link add "n$k" type veth peer name eth0 netns "$(cat "$CLUSTER/n$k/pid")"
  ip link set "n$k" master bridge up
done

until [ "$(sinfo --noheader --states=idle --format=%D 2>/dev/null)" = "$NODES" ]; do sleep 0.2; done
touch "$CLUSTER/ready"
# `wait` would end with the last child; the first process of a namespace must stay, and reap what was left to it.
while :; do sleep 1000 & wait $! || true; done
