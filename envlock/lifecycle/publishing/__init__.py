"""Locks and archives in the forms of others."""
