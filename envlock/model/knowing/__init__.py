"""The knowledge base: facts, builds, recipes and everything else that is known, with its codecs."""
