# Short names for tools/.
.PHONY: test demo cluster cluster-down

test:
	tools/test.sh

demo:
	tools/demo.sh

cluster: # four nodes with Slurm and ssh on this machine, as root; tools/cluster.sh run login sinfo
	tools/cluster.sh up

cluster-down:
	tools/cluster.sh down
