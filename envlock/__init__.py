"""envlock: solve, lock, build and verify Python environments together with the machine they run on."""

__version__ = "0.1.0"
