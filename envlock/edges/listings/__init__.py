"""Packages, locks and environments that others wrote down or installed."""
