"""Pure: the search for what answers a request, or for why nothing does."""
