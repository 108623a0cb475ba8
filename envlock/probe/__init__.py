"""Runs inside a target environment: standard library only, Python 3.6 and newer, imports nothing of ours."""
