"""Views of what a move changes and breaks."""
