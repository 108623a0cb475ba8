"""The machine at hand: what it is and what it offers. Looking never changes it, and never fails."""
