"""One straight function per use case; the only place where pure code and edges meet."""
