"""The probe's ranks, seen from outside."""
