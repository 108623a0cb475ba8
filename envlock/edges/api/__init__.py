"""Public interfaces of distributions, read from their sources without running them."""
