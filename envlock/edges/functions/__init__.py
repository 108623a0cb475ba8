"""What functions of releases read and call of other distributions when they run, without running them."""
