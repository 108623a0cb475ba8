"""The probe on nodes, and what it showed."""
