"""From a lock to an environment, and into that environment."""
