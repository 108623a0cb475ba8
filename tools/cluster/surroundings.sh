# Sourced by login.sh and node.sh: what a node of the cluster has for itself. Needs NODE.
hostname "$NODE"
mount -t proc proc /proc
ip link set lo up

# A checkout below /tmp stays visible at its place.
kept=
case $CHECKOUT in /tmp/*) kept=$CHECKOUT ;; esac
if [ -n "$kept" ]; then
  mkdir -p "$CLUSTER/checkout"
  mount --bind "$kept" "$CLUSTER/checkout"
fi
mount -t tmpfs -o mode=1777 tmpfs /tmp
if [ -n "$kept" ]; then
  mkdir -p "$kept"
  mount --bind "$CLUSTER/checkout" "$kept"
fi
mount -t tmpfs -o mode=1777,size=512m tmpfs /dev/shm
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/sshd /run/munge /run/lock
chown munge:munge /run/munge

mount --bind "$CLUSTER/hosts" /etc/hosts
mount --bind "$CLUSTER/slurm" /etc/slurm
mount --bind "$CLUSTER/ssh" /etc/ssh

# slurmd refuses a machine that has both kinds of cgroups mounted.
mount -t tmpfs tmpfs /sys/fs/cgroup
mkdir /sys/fs/cgroup/freezer
mount -t cgroup -o freezer none /sys/fs/cgroup/freezer

start_munge() {
  setpriv --reuid=munge --regid=munge --clear-groups munged --key-file="$CLUSTER/munge/key" \
    --socket=/run/munge/munge.socket.2 --pid-file=/run/munge/munged.pid \
    --log-file="$CLUSTER/munge/log-$NODE" --seed-file="$CLUSTER/munge/seed-$NODE" --force
}
