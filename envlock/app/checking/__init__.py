"""Judging what somebody has, or has written down."""
