"""Locks and archives in standard formats."""
