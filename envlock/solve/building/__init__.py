"""How pins without a usable wheel are built, and what stands against that."""
