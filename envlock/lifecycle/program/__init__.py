"""A group's own program, and what fails in it when distributions move."""
