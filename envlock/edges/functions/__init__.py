"""What the functions of releases read and call of others' modules when they run, without running them."""
