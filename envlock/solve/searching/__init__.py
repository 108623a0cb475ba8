"""The ways to an answer: straight on, by resolvelib, and the exact search, which decides."""
