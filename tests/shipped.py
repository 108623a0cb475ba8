"""The knowledge base as shipped, for all tests of a process; nobody can change it."""

import os
from pathlib import Path

from envlock.edges.cache import Cache
from envlock.edges.decoded_knowledge import load_decoded

# It is kept decoded beside itself, or nowhere: no test reads or writes the cache of whoever runs it.
KNOWLEDGE = load_decoded(Cache(Path(os.devnull)))
