"""The knowledge base: facts, builds, recipes and all else that is known, with its codecs."""
