"""What a solve produces and what is kept: pins, locks, environments, archives."""
