"""Views of what was solved, and of what was refused."""
