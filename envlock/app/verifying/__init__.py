"""Running the probe on nodes, and what it showed."""
