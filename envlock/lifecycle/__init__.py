"""Pure code: what changes between two states, and who may change them."""
