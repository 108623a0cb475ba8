"""What modules read and hold when they are imported."""
