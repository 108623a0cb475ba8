"""What is kept: stores, freezes, archives."""
