"""Build wheels from sources."""
