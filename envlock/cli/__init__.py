"""Command line: arguments, one call into app, render, exit status."""
