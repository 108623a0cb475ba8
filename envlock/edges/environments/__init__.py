"""Environments on disk: made, checked and looked at."""
