"""What functions do when they are called, and what of that fails beside others."""
