"""The store: complete environments and wheels, shared by projects, and who may touch them."""
