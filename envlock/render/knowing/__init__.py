"""Views of the knowledge base, and of what it says of a combination."""
