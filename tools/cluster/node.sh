#!/bin/bash
# Called by login.sh as the first process of a node's namespaces: NODE's name and number.
set -euo pipefail
NODE=$1
until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
. "$(dirname "$0")/surroundings.sh"
ip addr add "10.77.0.$2/24" dev eth0
ip link set eth0 up
start_munge
/usr/sbin/sshd -f /etc/ssh/sshd_config
mkdir -p "$CLUSTER/spool/$NODE"
slurmd -D -N "$NODE" &
while :; do sleep 1000 & wait $! || true; done
