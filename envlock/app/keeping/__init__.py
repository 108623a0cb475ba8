"""What stays: stores, freezes, archives."""
