"""Turn raw results of the probe into evidence."""
