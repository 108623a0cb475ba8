"""Pure: what speaks against a combination, by the facts and by what distributions declare."""
