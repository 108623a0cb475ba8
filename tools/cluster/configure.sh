#!/bin/bash
# Called by tools/cluster.sh: configuration and keys of a cluster of $1 nodes, in $CLUSTER.
set -euo pipefail
nodes=$1
mkdir -p "$CLUSTER"/{login,slurm,ssh,munge,shared,spool}
chmod 755 "$CLUSTER"

{
  echo "127.0.0.1 localhost"
  echo "10.77.0.254 login"
  for k in $(seq "$nodes"); do
    mkdir -p "$CLUSTER/n$k"
    echo "10.77.0.$k n$k"
  done
} >"$CLUSTER/hosts"

# linuxproc and task/none ask the kernel for nothing that a container lacks; every node is this machine, so what
# slurmd finds is overridden.
cat >"$CLUSTER/slurm/slurm.conf" <<CONF
ClusterName=envlock
SlurmctldHost=login(10.77.0.254)
SlurmUser=root
AuthType=auth/munge
CryptoType=crypto/munge
StateSaveLocation=$CLUSTER/spool/ctld
SlurmdSpoolDir=$CLUSTER/spool/%n
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd-%n.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
KillWait=3
SlurmctldTimeout=300
SlurmdTimeout=300
SlurmctldDebug=info
SlurmdDebug=info
NodeName=n[1-$nodes] CPUs=4 RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=YES:4 State=UP
CONF
echo "CgroupPlugin=cgroup/v1" >"$CLUSTER/slurm/cgroup.conf"
mkdir -p "$CLUSTER/spool/ctld"

ssh-keygen -q -t ed25519 -N "" -f "$CLUSTER/ssh/host_key"
ssh-keygen -q -t ed25519 -N "" -f "$CLUSTER/ssh/user_key"
cat >"$CLUSTER/ssh/ssh_config" <<CONF
Host *
  IdentityFile /etc/ssh/user_key
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
CONF
cat >"$CLUSTER/ssh/sshd_config" <<CONF
HostKey /etc/ssh/host_key
AuthorizedKeysFile /etc/ssh/user_key.pub
StrictModes no
PasswordAuthentication no
PermitRootLogin prohibit-password
UsePAM no
MaxStartups 100
CONF
[ ! -e /etc/ssh/moduli ] || cp /etc/ssh/moduli "$CLUSTER/ssh/"

# munged wants its key, its socket's folder and its log to be its own.
dd if=/dev/urandom of="$CLUSTER/munge/key" bs=1024 count=1 status=none
chmod 400 "$CLUSTER/munge/key"
chown -R munge:munge "$CLUSTER/munge"
chmod 711 "$CLUSTER/munge"
