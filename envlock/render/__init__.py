"""Views of results; the only code that prints."""
