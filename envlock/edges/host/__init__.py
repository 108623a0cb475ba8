"""The machine at hand: what it is and what it offers. Detection never changes it, and never fails."""
