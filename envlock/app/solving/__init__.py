"""From a group's wishes to its lock."""
