"""Views of what is kept, given back and mended."""
