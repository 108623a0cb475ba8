"""Judging what somebody has or writes down."""
