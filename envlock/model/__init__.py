"""The nouns: frozen types and their pure codecs. Nothing here reads a file or prints."""
