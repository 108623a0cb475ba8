"""This machine: what it is and what it offers. Detection never changes it, and never fails."""
