"""A group's own program, and what of it fails when distributions move."""
