"""Environments on disk: create, check and inspect them."""
