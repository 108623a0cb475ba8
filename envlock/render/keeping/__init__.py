"""Views of what is kept, restored and repaired."""
