"""Views of how groups stand, and why."""
