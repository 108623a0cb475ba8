"""Wheels from sources."""
