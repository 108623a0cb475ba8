"""What a solve gives and keeping keeps: pins, locks, environments, archives."""
